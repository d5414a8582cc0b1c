import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// Every definition in a manifest should be used in it.
///
/// Files without graphs are libraries, and so are included files: their definitions are for others. Graphs and
/// endpoints are not checked, because they can be run by name.
struct UnusedDefinitions: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        func isOwn(_ name: Spanned<String>) -> Bool { name.span.file == manifest.file }
        guard manifest.graphs.values.contains(where: { isOwn($0.name) }) else { return [] }
        let used = UsedDefinitions(subject)
        var unused: [(kind: String, name: Spanned<String>)] = []

        func check<Value: Sendable>(
            _ kind: String,
            _ definitions: Definitions<Value>,
            _ isUsed: (Int) -> Bool
        ) {
            for index in definitions.keys.indices where !isUsed(index) {
                let name = definitions.values[index].name
                if isOwn(name) { unused.append((kind, name)) }
            }
        }
        check("input", manifest.inputs) { used.inputs.contains(manifest.inputs.keys[$0]) }
        check("secret", manifest.secrets) { used.secrets.contains(manifest.secrets.keys[$0]) }
        check("data", manifest.data) { used.data.contains(manifest.data.keys[$0]) }
        check("service", manifest.services) { used.services.contains(manifest.services.keys[$0]) }
        check("filter", manifest.filters) { used.filters.contains(manifest.filters.keys[$0]) }
        for inputs in manifest.endpoints.values.map(\.value.inputs) + manifest.graphs.values.map(\.value.inputs) {
            check("input", inputs) { used.declaredInputs.contains(inputs.values[$0].name.span) }
        }
        for variable in subject.variables where isOwn(variable.name) && !used.variables.contains(variable.name.span) {
            unused.append(("variable", variable.name))
        }
        let diagnostics = unused.map { kind, name in
            Diagnostic(
                "unused-definition",
                "nothing uses the \(kind) '\(name.value)'",
                severity: .warning,
                at: name.span
            )
        }
        return diagnostics + (used.usesSessions ? [] : unusedSessions(of: manifest, isOwn))
    }

    /// A session whose outputs nothing uses is never fetched, although a cookie that its response sets may be wanted.
    private func unusedSessions(of manifest: Manifest, _ isOwn: (Spanned<String>) -> Bool) -> [Diagnostic] {
        manifest.services.values.compactMap { service in
            guard let name = service.value.session?.call.name, isOwn(name) else { return nil }
            return Diagnostic(
                "unused-definition",
                "nothing uses the session of the service '\(service.name.value)', so it is never fetched",
                severity: .warning,
                at: name.span,
                help: [
                    "Use one of its outputs, such as ${session.token}. If the login only sets a cookie, call it as the"
                        + " first step instead."
                ]
            )
        }
    }
}

extension RuleSubject {
    /// Every variable of a request.
    fileprivate var variables: [VariableDefinition] {
        var variables = manifest.endpoints.values.flatMap(\.value.request.vars)
        for site in steps {
            variables += site.step.vars
            if case .request(let definition) = site.step.action { variables += definition.vars }
        }
        return variables
    }
}

/// The definitions of a manifest that are used in it.
struct UsedDefinitions {
    /// The manifest's inputs.
    private(set) var inputs: Set<String> = []
    /// The inputs that endpoints and graphs declare, by the spans of their names.
    private(set) var declaredInputs: Set<SourceSpan> = []
    private(set) var secrets: Set<String> = []
    private(set) var data: Set<String> = []
    private(set) var services: Set<String> = []
    private(set) var filters: Set<String> = []
    /// Whether any expression uses an output of a session.
    let usesSessions: Bool
    /// Variables, by the spans of their names.
    private(set) var variables: Set<SourceSpan> = []

    private let manifest: Manifest

    init(_ subject: RuleSubject) {
        manifest = subject.manifest
        usesSessions = subject.references.sites.contains { $0.reference.root == .session }
        collectCalls(subject)
        for request in subject.requests.all where services.count < manifest.services.count {
            if let service = request.service.name { services.insert(service) }
        }
        for settings in subject.settings where settings.has(FilterEntry.key) {
            for filter in settings.filters {
                if case .named(let name, _) = filter.value { filters.insert(name.value) }
            }
        }
        for filter in manifest.filters.values {
            for case .named(let name, _) in filter.value.map(\.value) { filters.insert(name.value) }
        }
        filters.formUnion(subject.references.appliedFilters.map(\.value))
        for site in subject.references.sites { note(site) }
    }

    // MARK: Calls

    private mutating func collectCalls(_ subject: RuleSubject) {
        guard !manifest.inputs.isEmpty else { return }
        for service in manifest.services.values {
            guard let call = service.value.session?.call, let endpoint = manifest.endpoints[call.name.value]?.value
            else { continue }
            noteInherited(endpoint.inputs, call)
        }
        var called: Set<String> = []
        for site in subject.steps {
            guard let inputs = site.calledInputs else { continue }
            if case .graph(let call) = site.step.action { called.insert(call.name.value) }
            switch site.step.action {
            case .call(let call), .graph(let call): noteInherited(inputs, call)
            case .request, .group, .values, .end: break
            }
        }
        // A graph that no step runs takes the inputs of the manifest, too.
        for graph in manifest.graphs.values where !called.contains(graph.name.value) {
            inputs.formUnion(graph.value.inputs.keys.filter { manifest.inputs[$0] != nil })
        }
    }

    /// Marks the manifest's inputs that a call uses for the inputs that it does not give.
    private mutating func noteInherited(_ declared: Definitions<InputDeclaration>, _ call: Step.Call) {
        guard !manifest.inputs.isEmpty, declared.keys.contains(where: { manifest.inputs[$0] != nil }) else { return }
        let given = Set(call.arguments.map(\.name.value))
        for name in declared.keys where manifest.inputs[name] != nil && !given.contains(name) { inputs.insert(name) }
    }

    // MARK: Expressions

    private mutating func note(_ site: ReferenceSite) {
        let reference = site.reference
        let name = reference.segments.first?.name
        switch reference.root {
        case .inputs: noteInput(site, name)
        case .manifest: noteManifestInput(reference.segments.dropFirst().first?.name)
        case .secrets: secrets.formUnion(name.map { [$0] } ?? Array(manifest.secrets.keys))
        case .data: data.formUnion(name.map { [$0] } ?? Array(manifest.data.keys))
        case .vars:
            for variable in site.location.vars where name == nil || variable.name.value == name {
                variables.insert(variable.name.span)
            }
        case .session, .steps, .run, .state, .request, .response, .document, .item, nil: break
        }
    }

    private mutating func noteInput(_ site: ReferenceSite, _ name: String?) {
        if let input = site.input {
            declaredInputs.insert(input.span)
            return
        }
        if name == nil, let declarations = site.location.declarations {
            declaredInputs.formUnion(declarations.inputs.values.map(\.name.span))
        }
        // All inputs include those of the manifest.
        noteManifestInput(name)
    }

    private mutating func noteManifestInput(_ name: String?) {
        if let name { inputs.insert(name) } else { inputs.formUnion(manifest.inputs.keys) }
    }
}
