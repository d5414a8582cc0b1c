package import WaybillDiagnostics

/// One step of a chain or batch.
package struct Step: Sendable {
    /// What a step does.
    package enum Action: Sendable {
        /// Calls an endpoint with inputs.
        case call(Call)
        /// Runs another graph with inputs.
        case graph(Call)
        /// Sends a request written in place.
        indirect case request(RequestDefinition)
        /// Runs steps.
        case group(Group)
        /// Computes values.
        case values([OutputDefinition])
        /// Ends the chain around it, with success, where a condition holds.
        case end(ManifestExpression)
    }

    /// What is called, and with which inputs.
    package struct Call: Sendable {
        /// The name of the endpoint or graph.
        package var name: Spanned<String>
        /// The inputs that are given.
        package var arguments: [ValueTemplate.Member]
    }

    /// The name by which other steps refer to it.
    package var id: Spanned<String>?
    /// A name for people.
    package var name: String?
    /// What the step is for.
    package var description: String?
    /// What the step does.
    package var action: Action
    /// When, how often and after what it is done; `nil` where nothing is said of that.
    package var flow: Flow?
    /// Settings of the step and of all that is inside it.
    package var settings: Settings
    /// Values computed before each attempt, besides those of the endpoint or request.
    package var vars: [VariableDefinition]
    /// Values for later steps, besides those of the endpoint or request.
    package var outputs: [OutputDefinition]
    /// What a failure does.
    package var onFailure: FailureMode
    /// Where the step's discriminating key stands, such as `call` or `get`.
    package var span: SourceSpan
    /// The discriminating key.
    package var form: StepForm
}

/// The keys that say what a step does.
package enum StepForm: String, Sendable, CaseIterable {
    case call, request, get, head, post, put, patch, delete, graph, chain, batch, values, end
}
