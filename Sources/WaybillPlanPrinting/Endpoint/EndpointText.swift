import WaybillContract
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPlan

extension EndpointExplanation {
    /// Returns the explanation as text for people, with or without ANSI colours. It ends with a line break.
    package func text(colour: Bool = false) -> String {
        EndpointText(explanation: self, paint: TextPaint(colour: colour)).text
    }
}

private struct EndpointText {
    let explanation: EndpointExplanation
    let paint: TextPaint

    var text: String {
        let endpoint = explanation.cascade.endpoint
        let request = explanation.cascade.request
        let level = Level.endpoint(endpoint.name.value)
        var lines: [PlanLine] = [
            "endpoint \(paint.strong(endpoint.name.value))  \(request.writtenMethod) \(explanation.form.address(of: request))",
            "   \(paint.faint(endpoint.name.span.description))",
        ]
        if let operation = request.operation {
            if let span = operation.span { lines.append("   declared at \(span)") }
            lines += section("inputs", Self.inputs(of: operation))
        }
        lines += section(
            "set at the endpoint",
            explanation.parts.map { part in
                let words = Self.words(part.key, part.name, part.value)
                return "\(words)   \(paint.faint(origin(part.span, level)))"
            }
        )
        let settings = explanation.settings
        lines += section("settings", settings.flatMap(used))
        lines += section("not used", settings.flatMap(unused))
        return lines.map { $0.text + "\n" }.joined()
    }

    /// Returns the inputs of an operation, each with where the document declares it.
    private static func inputs(of bound: BoundOperation) -> [PlanLine] {
        let operation = bound.operation
        var inputs = zip(operation.inputNames, operation.parameters).map { name, parameter in
            (text: "\(name)  \(parameter.part.rawValue)\(parameter.isRequired ? ", required" : "")", parameter.location)
        }
        if let body = operation.body { inputs.append(("body\(body.isRequired ? "  required" : "")", body.location)) }
        return inputs.map { text, location in
            "\(text)\(bound.contract.span(of: location).map { "   \($0)" } ?? "")"
        }
    }

    private func section(_ title: String, _ lines: [PlanLine]) -> [PlanLine] {
        lines.isEmpty ? [] : ["", paint.strong(title)] + lines.map { "   \($0)" }
    }

    private func used(_ explained: EndpointExplanation.Explained) -> [PlanLine] {
        let line = line(for: explained.setting)
        switch explained.effect {
        case .used: return [line]
        case .ownOriginOnly: return [line, "   only if the request goes to the origin of the service"]
        case .removal, .replaced, .unset, .declined, .standalone, .otherOrigin: return []
        }
    }

    private func unused(_ explained: EndpointExplanation.Explained) -> [PlanLine] {
        let reason: PlanLine
        switch explained.effect {
        case .used, .removal, .ownOriginOnly: return []
        case .replaced(let setting):
            let value = PlanValues.line(explanation.form.value(setting))
            let origin = paint.faint(origin(setting.span, setting.level))
            reason = "replaced by \(value)   \(origin)"
        case .unset(let setting):
            reason = "removed by null   \(paint.faint(origin(setting.span, setting.level)))"
        case .declined(let name):
            reason = "declined by inherit   \(paint.faint(origin(name.span, name.level)))"
        case .standalone: reason = "the endpoint is standalone"
        case .otherOrigin: reason = "the request goes to an origin other than the service's"
        }
        return [line(for: explained.setting), "   \(reason)"]
    }

    private func line(for setting: Setting<any SettingDefinition>) -> PlanLine {
        let form = explanation.form
        let words = Self.words(
            setting.value.key,
            setting.value.part.map(form.text),
            form.value(setting)
        )
        return "\(words)   \(paint.faint(origin(setting.span, setting.level)))"
    }

    private static func words(_ key: String, _ name: String?, _ value: JSON) -> String {
        "\(key)\(name.map { " \($0)" } ?? "") = \(PlanValues.line(value))"
    }

    /// Returns the level and the location of something.
    private func origin(_ span: SourceSpan, _ level: Level) -> String {
        let name = level.name.map { " \($0)" } ?? ""
        let environment = explanation.environment.environment(at: span).map { ", environment \($0)" } ?? ""
        return "\(level.keyword)\(name)\(environment), \(span)"
    }
}
