import OrderedCollections
import WaybillDiagnostics
package import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillSchema

extension PlanDescription {
    /// The plan as one JSON document in the format of `schemas/plan.schema.json`.
    package var jsonDocument: String { JSONWriter(layout: .pretty).string(json) + "\n" }

    /// The JSON document as a value.
    package var json: JSON { PlanJSON(form: makeValues(), environment: environment).value(plan) }
}

/// The parts of a plan as JSON.
struct PlanJSON {
    let form: PlanValues
    let environment: EnvironmentLocations

    func value(_ plan: Plan) -> JSON {
        .present([
            ("name", .string(form.text(plan.name))),
            ("manifest", .string(plan.manifest)),
            ("environment", plan.environment.map { .string($0) }),
            ("concurrency", .count(plan.concurrency)),
            ("inputs", form.value(.object(plan.inputs))),
            ("secrets", .array(plan.secrets.map(value))),
            ("data", .object(plan.data.mapValues(Self.extent))),
            ("graphs", .array(plan.graphs.map(value))),
            ("subgraphs", .array(plan.sortedSubgraphs.map(value))),
            ("sessions", .array(plan.sortedSessions.map { value($0.service, $0.session) })),
        ])
    }

    private func value(_ secret: SecretPlan) -> JSON {
        let command: [String]? = if case .command(let arguments, _) = secret.source.source { arguments } else { nil }
        return .present([
            ("name", .string(secret.name)),
            ("variable", secret.source.variable.map { .string($0) }),
            ("command", command.map { .array($0.map(JSON.string)) }),
            ("file", secret.source.file.map { .string($0.path.value) }),
            ("from", .present(location(secret.source.span))),
        ])
    }

    /// Returns the amount of data, without the data.
    private static func extent(_ value: JSON) -> JSON {
        switch value {
        case .array(let elements): ["records": .count(elements.count)]
        case .object(let members): ["members": .count(members.count)]
        default: ["type": .string(value.kind.rawValue)]
        }
    }

    private func value(_ graph: GraphPlan) -> JSON {
        .present(
            [
                ("name", .string(graph.name)),
                ("path", graph.path == graph.name ? nil : .string(graph.path)),
                ("tags", .array(graph.tags.map { .string(form.text($0)) })),
                ("inputs", .array(graph.inputs.values.map(value))),
                ("checks", checks(graph.checks)),
                ("deadline", graph.deadline.map(written)),
            ] + members(of: graph.body) + [
                ("finally", graph.finally.map { .array($0.steps.map(value)) }),
                ("outputs", .array(graph.outputs.map(value))),
                ("state", graph.state.isEmpty ? nil : .array(graph.state.map(value))),
            ]
        )
    }

    /// A value that a graph keeps from run to run.
    private func value(_ state: StateDefinition) -> JSON {
        [
            "name": .string(state.name), "default": form.value(state.defaultValue),
            "next": .string(form.text(state.next.value)),
        ]
    }

    /// An input that a graph takes.
    private func value(_ input: Definition<InputDeclaration>) -> JSON {
        .present([
            ("name", .string(input.name.value)),
            ("schema", form.value(input.value.schema.document)),
            ("default", input.value.defaultValue.map(form.value)),
        ])
    }

    private func value(_ service: String, _ session: SessionPlan) -> JSON {
        [
            "service": .string(service),
            "renewOn": .array(
                session.renewOn.map { Int($0.description).map { .count($0) } ?? .string($0.description) }
            ),
            "request": value(session.request),
        ]
    }

    /// Returns the members of a chain or batch.
    func members(of group: GroupPlan) -> [(name: String, value: JSON?)] {
        [
            ("order", .string(group.order.rawValue)),
            ("onFailure", .string(group.onFailure.rawValue)),
            ("concurrency", group.concurrency.map { .count($0) }),
            ("steps", .array(group.steps.map(value))),
        ]
    }

    // MARK: Provenance

    /// Returns a setting as written, with its location.
    func written<Value>(_ setting: Setting<Value>) -> JSON {
        value(form.value(at: setting.span), from: setting.span, setting.level)
    }

    /// Returns a value and where it was written.
    func value(_ value: JSON, from span: SourceSpan, _ level: Level) -> JSON {
        ["value": value, "from": from(span, level)]
    }

    /// Returns the level and the location where something was written.
    func from(_ span: SourceSpan, _ level: Level) -> JSON {
        .present(
            [
                ("level", .string(level.keyword)),
                ("name", level.name.map { .string($0) }),
                ("environment", environment.environment(at: span).map { .string($0) }),
            ] + location(span)
        )
    }

    /// Returns a location in a file.
    func location(_ span: SourceSpan) -> [(name: String, value: JSON?)] {
        let start = span.start
        return [
            ("file", .string(span.file.name)), ("line", .count(start.line)), ("column", .count(start.column)),
        ]
    }
}

extension Level {
    /// The kind of level.
    var keyword: String {
        switch self {
        case .defaults: "defaults"
        case .service: "service"
        case .endpoint: "endpoint"
        case .graph: "graph"
        }
    }

    /// The name of the service, endpoint or graph.
    var name: String? {
        switch self {
        case .defaults: nil
        case .service(let name), .endpoint(let name), .graph(let name): name
        }
    }
}

extension Plan {
    /// The sessions, in the order of their services' names.
    var sortedSessions: [(service: String, session: SessionPlan)] {
        sessions.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }
}
