package import WaybillDiagnostics

/// A chain or batch that can be run.
package struct Graph: Sendable {
    /// What it does.
    package var description: String?
    /// What a step that runs it must or may give.
    package var inputs: Definitions<InputDeclaration>
    /// Settings of all its requests.
    package var settings: Settings
    /// The longest time that it may take.
    package var deadline: Setting<DurationTemplate>?
    /// The steps and how they are run.
    package var body: Group
    /// What a failure does.
    package var onFailure: FailureMode
    /// Steps that always run at the end.
    package var finally: Group?
    /// The values of the run.
    package var outputs: [OutputDefinition]
    /// Words that runs can be limited to.
    package var tags: [Spanned<String>]
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
