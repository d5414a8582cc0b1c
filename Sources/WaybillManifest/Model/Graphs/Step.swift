package import WaybillDiagnostics

/// One step of a chain or batch.
package final class Step: Sendable {
    /// What a step does.
    package enum Action: Sendable {
        /// Calls an endpoint with inputs.
        case call(Call)
        /// Runs another graph with inputs.
        case graph(Call)
        /// Sends an inline request.
        case request(RequestDefinition)
        /// Runs steps.
        case group(Group)
        /// Computes values.
        case values([OutputDefinition])
        /// Ends the enclosing chain successfully if a condition holds.
        case end(ManifestExpression)
    }

    /// A call with its inputs.
    package struct Call: Sendable {
        /// The name of the endpoint or graph.
        package var name: Spanned<String>
        /// The inputs of the call.
        package var arguments: [ValueTemplate.Member]
    }

    /// The name by which other steps refer to it.
    package let id: Spanned<String>?
    /// A name for people.
    package let name: String?
    /// The description for people.
    package let description: String?
    /// What the step does.
    package let action: Action
    /// The service that a call sends its request to, instead of the endpoint's service.
    package let service: Spanned<String>?
    /// When, how often and after which steps it runs; `nil` if none of that is specified.
    package let flow: Flow?
    /// Settings of the step and of everything inside it.
    package let settings: Settings
    /// Values computed before each attempt, in addition to those of the endpoint or request.
    package let vars: [VariableDefinition]
    /// Values for later steps, in addition to those of the endpoint or request.
    package let outputs: [OutputDefinition]
    /// The effect of a failure; for a step with `forEach`, of the failure of an element.
    package let onFailure: FailureMode
    /// The location of the key that determines the form, such as `call` or `get`.
    package let span: SourceSpan
    /// The form of the step.
    package let form: StepForm
    /// The parts that are unknown because of errors in the source.
    package let unknown: UnknownParts
    /// The id as written, or the last part of the name of the endpoint or graph.
    package let effectiveID: String?

    /// Reads a step.
    ///
    /// - Parameter earlier: The same step, decoded before its errors were known.
    init(_ node: YAMLNode, level: Level, earlier: Step?, _ decoder: inout ManifestDecoder) {
        let entries = StepEntries(node)
        let written = StepForm.written(in: entries)
        var unknown = decoder.unknownParts(of: node)
        var inner: Group?
        if case .group(let group)? = earlier?.action { inner = group }
        if let written,
            let known = decoder.action(written, entries, unknown: unknown, level: level, earlier: inner)
        {
            (action, form, span) = (known, written.form, written.key.span)
        } else {
            unknown.formUnion([.form, .address, .method, .service])
            action = decoder.unknownAction(at: node, entries, unknown: unknown, level: level)
            form = if case .call = action { .call } else { .get }
            span = node.span
        }
        let settings = decoder.settings(node, level: level)
        let id = entries[.id].flatMap { decoder.text($0) }
        self.id = id
        name = entries[.name]?.text?.replacing("$${", with: "${")
        description = entries[.description]?.text
        service = form == .call ? entries[.service].flatMap { decoder.text($0) } : nil
        // In the short forms, these keys of the request are written beside those of the step.
        outputs = form.isShortRequest ? [] : decoder.outputs(entries[.outputs], level: level)
        vars = form.isShortRequest ? [] : decoder.variables(entries[.vars], level: level)
        flow = Flow(entries, deadline: settings.deadline, at: node.span, level: level, &decoder)
        // The deadline of a step applies to the whole, not to each request in it.
        self.settings = flow?.deadline == nil ? settings : settings.without(DeadlineSetting.key)
        onFailure = entries[.onFailure].flatMap { decoder.word($0) } ?? .stop
        self.unknown = unknown
        effectiveID = id?.value ?? (unknown.contains(anyOf: [.id, .form]) ? nil : action.lastPart)
        if let written { decoder.reportMisplacedKeys(of: node, entries, in: written.form) }
    }

    /// The effect of a failure inside the step's chain or batch on that group. `onFailure` of a step with `forEach`
    /// applies to its elements; the group that it repeats stops at its first failure.
    package var groupOnFailure: FailureMode { flow?.forEach == nil ? onFailure : .stop }
}

/// The forms of a step, by the key that determines what it does.
package enum StepForm: String, Sendable, CaseIterable {
    case call, request, get, head, post, put, patch, delete, graph, chain, batch, values, end
}

extension Step.Action {
    /// The last part of the dotted name of the endpoint or graph.
    fileprivate var lastPart: String? {
        switch self {
        case .call(let call), .graph(let call):
            let name = call.name.value
            // The method and path of an operation is not an id.
            if name.contains(" /") { return nil }
            guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return name }
            return String(name[name.utf8.index(after: dot)...])
        case .request, .group, .values, .end: return nil
        }
    }
}
