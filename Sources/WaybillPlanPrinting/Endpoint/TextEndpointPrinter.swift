import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPlan

/// Writes the explanation of an endpoint as text for people.
package struct TextEndpointPrinter: Sendable {
    private let paint: TextPaint

    /// Creates a printer, with or without ANSI colours.
    package init(colour: Bool = false) {
        paint = TextPaint(colour: colour)
    }

    /// Returns the whole document, ending with a line break.
    package func document(for explanation: EndpointExplanation) -> String {
        let endpoint = explanation.cascade.endpoint
        let request = explanation.cascade.request
        let level = Level.endpoint(endpoint.name.value)
        var lines: [PlanLine] = [
            "endpoint \(paint.strong(endpoint.name.value))  \(request.writtenMethod) \(explanation.form.address(of: request))",
            "   \(paint.faint(endpoint.name.span.description))",
        ]
        lines += section(
            "set at the endpoint",
            explanation.parts.map { part in
                let words = Self.words(part.key, part.name, part.value)
                return "\(words)   \(paint.faint(explanation.origin(part.span, level)))"
            }
        )
        let settings = explanation.settings
        lines += section("settings", settings.flatMap { used($0, explanation) })
        lines += section("not used", settings.flatMap { unused($0, explanation) })
        return lines.map { $0.text + "\n" }.joined()
    }

    private func section(_ title: String, _ lines: [PlanLine]) -> [PlanLine] {
        lines.isEmpty ? [] : ["", paint.strong(title)] + lines.map { "   \($0)" }
    }

    private func used(_ explained: EndpointExplanation.Explained, _ explanation: EndpointExplanation) -> [PlanLine] {
        let line = line(for: explained.setting, explanation)
        switch explained.effect {
        case .used: return [line]
        case .ownOriginOnly: return [line, "   only if the request goes to the origin of the service"]
        case .removal, .replaced, .unset, .declined, .standalone, .otherOrigin: return []
        }
    }

    private func unused(_ explained: EndpointExplanation.Explained, _ explanation: EndpointExplanation) -> [PlanLine] {
        let reason: PlanLine
        switch explained.effect {
        case .used, .removal, .ownOriginOnly: return []
        case .replaced(let setting):
            let value = PlanValues.line(explanation.form.value(setting))
            let origin = paint.faint(explanation.origin(setting.span, setting.level))
            reason = "replaced by \(value)   \(origin)"
        case .unset(let setting):
            reason = "removed by null   \(paint.faint(explanation.origin(setting.span, setting.level)))"
        case .declined(let name):
            reason = "declined by inherit   \(paint.faint(explanation.origin(name.span, name.level)))"
        case .standalone: reason = "the endpoint is standalone"
        case .otherOrigin: reason = "the request goes to an origin other than the service's"
        }
        return [line(for: explained.setting, explanation), "   \(reason)"]
    }

    private func line(for setting: Setting<any SettingDefinition>, _ explanation: EndpointExplanation) -> PlanLine {
        let form = explanation.form
        let words = Self.words(
            setting.value.key,
            setting.value.part.map(form.text),
            form.value(setting)
        )
        return "\(words)   \(paint.faint(explanation.origin(setting.span, setting.level)))"
    }

    private static func words(_ key: String, _ name: String?, _ value: JSON) -> String {
        "\(key)\(name.map { " \($0)" } ?? "") = \(PlanValues.line(value))"
    }
}

extension EndpointExplanation {
    /// Returns the level and the location of something, for people.
    func origin(_ span: SourceSpan, _ level: Level) -> String {
        let name = level.name.map { " \($0)" } ?? ""
        let environment = environment.environment(at: span).map { ", environment \($0)" } ?? ""
        return "\(level.keyword)\(name)\(environment), \(span)"
    }
}
