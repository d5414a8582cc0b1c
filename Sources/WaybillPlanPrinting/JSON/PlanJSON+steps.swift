import WaybillContract
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillSchema

/// Steps and their requests as JSON.
extension PlanJSON {
    func value(_ step: StepPlan) -> JSON {
        .present(
            [
                ("path", .string(step.path)),
                ("id", step.id.map { .string($0) }),
                ("name", .string(form.text(step.name))),
                ("form", .string(step.form.rawValue)),
                ("span", .present(location(step.span))),
            ] + members(of: step.flow) + members(of: step)
        )
    }

    private func members(of step: StepPlan) -> [(name: String, value: JSON?)] {
        let onFailure: (name: String, value: JSON?) = ("onFailure", .string(step.onFailure.rawValue))
        switch step.work {
        case .request(let request): return [onFailure, ("request", value(request))]
        case .group(let group): return members(of: group).map { $0.name == onFailure.name ? onFailure : $0 }
        case .graph(let call):
            return [onFailure, ("graph", .string(call.name.value)), ("with", .array(call.arguments.compactMap(value)))]
        case .values(let values):
            let settings = values.expectations.entries
            return [
                onFailure, ("values", .array(values.outputs.map(value))),
                ("settings", settings.isEmpty ? nil : .array(settings.map(value))),
            ]
        case .end(let condition): return [onFailure, ("end", .string(form.text(condition)))]
        }
    }

    private func members(of flow: Flow?) -> [(name: String, value: JSON?)] {
        guard let flow else { return [] }
        return Flow.keys.map { key in
            // The deadline is a setting with a level; all others are keys of steps only.
            if key == "deadline" { return (key, flow.deadline.map(written)) }
            return (key, form.value(of: key, at: flow.span))
        }
    }

    // MARK: Requests

    func value(_ request: RequestPlan) -> JSON {
        let isURL = if case .url = request.address { true } else { false }
        let written = request.address.text
        let settings = request.settings.entries.filter { $0.value.key != FilterEntry.key }
        return .present([
            ("endpoint", request.endpoint.map { .string($0) }),
            ("service", request.service.map { .string($0) }),
            ("operation", operation(of: request)),
            ("method", .string(request.writtenMethod)),
            ("address", .string(form.address(of: request))),
            (isURL ? "url" : "path", value(.string(form.text(written.value)), from: written.span, written.level)),
            ("with", .array(request.arguments.compactMap(value))),
            ("settings", .array(settings.map(value))),
            ("filters", .array(request.filters.map(value))),
            ("vars", .array(request.vars.map(value))),
            ("outputs", .array(request.outputs.map(value))),
            ("returns", request.returns.map(value)),
            ("download", request.download.map { value(form.value(at: $0.span), from: $0.span, $0.level) }),
            ("checks", checks(request.checks)),
            ("paginate", request.paginate.map { value(form.value(at: $0.span), from: $0.span, $0.level) }),
            ("mocks", .count(request.mock.count)),
        ])
    }

    /// Returns the operation of an OpenAPI document that a request calls: its method and path, and where it is declared.
    func operation(of request: RequestPlan) -> JSON? {
        request.operation.map { bound in
            let name = JSON.string(bound.operation.entry.methodAndPath)
            return .present([("name", name)] + (bound.span.map(location) ?? []))
        }
    }

    /// Returns a setting: its key, the name below it if it has one, its value and where that was written.
    func value(_ setting: Setting<any SettingDefinition>) -> JSON {
        .present([
            ("key", .string(setting.value.key)),
            ("name", setting.value.part.map { .string(form.text($0)) }),
            ("value", form.value(setting)),
            ("from", from(setting.span, setting.level)),
        ])
    }

    /// Returns conditions on inputs; `nil` if there are none.
    func checks(_ checks: [Check]) -> JSON? {
        checks.isEmpty ? nil : .array(checks.map { .string(form.text($0.that)) })
    }

    private func value(_ stage: Setting<PlannedStage>) -> JSON {
        [
            "stage": form.value(at: stage.span),
            "onEveryStatus": .bool(stage.value.onEveryStatus),
            "from": from(stage.span, stage.level),
        ]
    }

    private func value(_ argument: ArgumentPlan) -> JSON? {
        let value: (source: String, value: JSON)
        switch argument.source {
        case .template(let template): value = ("call", form.value(template))
        case .constant(let constant): value = ("default", form.value(constant))
        case .omitted: return nil
        }
        return [
            "name": .string(argument.name),
            "value": value.value,
            "source": .string(value.source),
            "from": .present(location(argument.span)),
        ]
    }

    private func value(_ variable: VariableDefinition) -> JSON {
        [
            "name": .string(variable.name.value),
            "value": form.value(variable.value),
            "from": from(variable.name.span, variable.level),
        ]
    }

    func value(_ output: OutputDefinition) -> JSON {
        [
            "name": .string(output.name.value),
            "value": .string(form.text(output.value)),
            "secret": .bool(output.isSecret),
            "from": from(output.name.span, output.level),
        ]
    }

    private func value(_ shape: ReturnShape) -> JSON {
        let schema = form.value(at: shape.span)
        return value(shape.isCollection ? ["collection": schema] : ["object": schema], from: shape.span, shape.level)
    }
}
