package import WaybillDiagnostics
package import WaybillJSON

/// A chain or batch that can be run.
package final class Graph: Sendable {
    /// The description for people.
    package let description: String?
    /// The inputs that a step that runs it can set.
    package let inputs: Definitions<InputDeclaration>
    /// Conditions on the inputs.
    package let checks: [Check]
    /// Settings of all its requests.
    package let settings: Settings
    /// The maximum time that the graph may take.
    package let deadline: Setting<DurationTemplate>?
    /// The steps and how they are run.
    package let body: Group
    /// The effect of a failure.
    package let onFailure: FailureMode
    /// Steps that always run at the end.
    package let finally: Group?
    /// The outputs of the run.
    package let outputs: [OutputDefinition]
    /// The values that the next run starts from.
    package let state: [StateDefinition]
    /// The tags that runs can be limited to.
    package let tags: [Spanned<String>]
    /// The parts that are unknown because of errors in the source.
    package let unknown: UnknownParts

    /// Reads a graph.
    ///
    /// - Parameter earlier: The same graph, decoded before its errors were known.
    init(_ node: YAMLNode, named name: String, earlier: Graph?, _ decoder: inout ManifestDecoder) {
        let level = Level.graph(name)
        let settings = decoder.settings(node, level: level)
        description = node["description"]?.text
        inputs = decoder.inputs(node["inputs"])
        checks = decoder.inputChecks(node["check"])
        // Like the deadline of a step, that of a graph applies to the whole, not to each request in it.
        self.settings = settings.without(DeadlineSetting.key)
        deadline = settings.deadline
        body = decoder.group(node, level: level, earlier: earlier?.body) ?? Group(order: .chain, steps: [])
        onFailure = node["onFailure"].flatMap { decoder.word($0) } ?? .stop
        finally = node["finally"].map { decoder.steps($0, order: .chain, level: level, earlier: earlier?.finally) }
        outputs = decoder.outputs(node["outputs"], level: level)
        state = decoder.state(node["state"], level: level)
        tags = decoder.texts(in: node["tags"])
        unknown = decoder.unknownParts(of: node)
    }
}

/// A value that a graph keeps between runs.
package struct StateDefinition: Sendable {
    /// The value in the first run.
    package var defaultValue: JSON
    /// The name, and the value for the next run.
    package var next: OutputDefinition

    package var name: String { next.name.value }

    /// Visits the use of the expression language in the value.
    package func visitUses(_ visitor: UseVisitor) { visitor.expression(next.value, .end, .state) }
}

/// Steps that are run together.
package struct Group: Sendable {
    /// How steps are run.
    package enum Order: String, Sendable {
        /// One after another.
        case chain
        /// Concurrently.
        case batch
    }

    /// How the steps are run.
    package var order: Order
    package var steps: [Step]
}

/// The effect of a failure on the other steps of its group.
package enum FailureMode: String, Sendable {
    /// The rest is cancelled or skipped.
    case stop
    /// The rest runs, then the node fails.
    case collect
    /// The rest runs and the node passes; the failures are reported as tolerated.
    case `continue`
}
