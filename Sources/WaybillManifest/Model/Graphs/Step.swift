package import WaybillDiagnostics

/// One step of a chain or batch.
package final class Step: Sendable {
    /// What a step does.
    package enum Action: Sendable {
        /// Calls an endpoint with inputs.
        case call(Call)
        /// Runs another graph with inputs.
        case graph(Call)
        /// Sends a request written in place.
        case request(RequestDefinition)
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
    package let id: Spanned<String>?
    /// A name for people.
    package let name: String?
    /// What the step is for.
    package let description: String?
    /// What the step does.
    package let action: Action
    /// The service that a call sends the request of its endpoint to, instead of the endpoint's.
    package let service: Spanned<String>?
    /// When, how often and after what it is done; `nil` where nothing is said of that.
    package let flow: Flow?
    /// Settings of the step and of all that is inside it.
    package let settings: Settings
    /// Values computed before each attempt, besides those of the endpoint or request.
    package let vars: [VariableDefinition]
    /// Values for later steps, besides those of the endpoint or request.
    package let outputs: [OutputDefinition]
    /// What a failure does: of an element where the step has a `forEach`.
    package let onFailure: FailureMode
    /// Where the step's discriminating key stands, such as `call` or `get`.
    package let span: SourceSpan
    /// The discriminating key.
    package let form: StepForm
    /// What is not known of it, because of mistakes in its text.
    package let unknown: UnknownParts
    /// The id that was given, or the last part of the name of the endpoint or graph.
    package let effectiveID: String?

    init(
        id: Spanned<String>? = nil,
        name: String? = nil,
        description: String? = nil,
        action: Action,
        service: Spanned<String>? = nil,
        flow: Flow? = nil,
        settings: Settings,
        vars: [VariableDefinition],
        outputs: [OutputDefinition],
        onFailure: FailureMode,
        span: SourceSpan,
        form: StepForm,
        unknown: UnknownParts = .nothing
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.action = action
        self.service = service
        self.flow = flow
        self.settings = settings
        self.vars = vars
        self.outputs = outputs
        self.onFailure = onFailure
        self.span = span
        self.form = form
        self.unknown = unknown
        effectiveID = id?.value ?? (unknown.contains(.id | .form) ? nil : action.lastPart)
    }
}

extension Step {
    /// What a failure inside the step's chain or batch does to that group. `onFailure` of a step with `forEach` applies to
    /// its elements; the group that it repeats stops at its first failure.
    package var groupOnFailure: FailureMode { flow?.forEach == nil ? onFailure : .stop }
}

/// The keys that say what a step does.
package enum StepForm: String, Sendable, CaseIterable {
    case call, request, get, head, post, put, patch, delete, graph, chain, batch, values, end
}

extension Step.Action {
    /// The last part of the dotted name of what is called.
    fileprivate var lastPart: String? {
        switch self {
        case .call(let call), .graph(let call):
            let name = call.name.value
            guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return name }
            return String(name[name.utf8.index(after: dot)...])
        case .request, .group, .values, .end: return nil
        }
    }
}
