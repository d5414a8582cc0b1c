package import WaybillDiagnostics

/// A chain or batch that can be run.
package struct Graph: Sendable {
    /// What it does.
    package var description: String?
    /// Settings of all its requests.
    package var settings: Settings
    /// The steps and how they are run.
    package var body: Group
    /// What a failure does.
    package var onFailure: FailureMode
    /// The values of the run.
    package var outputs: [OutputDefinition]
}

/// Steps that are run together.
package struct Group: Sendable {
    /// How steps are run.
    package enum Order: String, Sendable {
        /// One after another.
        case chain
        /// Side by side.
        case batch
    }

    /// How the steps are run.
    package var order: Order
    /// The steps.
    package var steps: [Step]
}

/// What a failure does to the steps beside and after it.
package enum FailureMode: String, Sendable {
    /// The rest is cancelled or skipped.
    case stop
    /// The rest runs, then the node fails.
    case collect
    /// The rest runs and the node passes; the failures are reported as tolerated.
    case `continue`
}

/// One step of a chain or batch.
package struct Step: Sendable {
    /// What a step does.
    package enum Action: Sendable {
        /// Calls an endpoint with inputs.
        case call(endpoint: Spanned<String>, arguments: [ValueTemplate.Member], argumentsSpan: SourceSpan?)
        /// Sends a request written in place.
        case request(RequestDefinition)
        /// Runs steps.
        case group(Group)
    }

    /// The name by which other steps refer to it.
    package var id: Spanned<String>?
    /// A name for people.
    package var name: String?
    /// What the step does.
    package var action: Action
    /// Settings of the step and of all that is inside it.
    package var settings: Settings
    /// Values for later steps, besides those of the endpoint or request.
    package var outputs: [OutputDefinition]
    /// What a failure does.
    package var onFailure: FailureMode
    /// Where the step's discriminating key stands, such as `call` or `get`.
    package var span: SourceSpan
}
