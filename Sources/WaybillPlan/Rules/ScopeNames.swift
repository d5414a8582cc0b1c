import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// A name in an expression must be visible at the location of the expression.
///
/// Another rule (`DataFlow`) checks the names after `steps`.
struct ScopeNames: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.references.sites.compactMap { NameScope(subject: subject, site: $0).diagnostic }
    }
}

/// The names that are visible at the location of a path.
struct NameScope {
    let subject: RuleSubject
    let site: ReferenceSite

    private var location: UseLocation { site.location }
    private var reference: Reference { site.reference }

    /// The error in the names that the path starts with.
    var diagnostic: Diagnostic? {
        let root = reference.root
        // The variable of the element may have an invalid name.
        if location.unknown.contains(.loop), isLoopVariable { return nil }
        guard root.map(sees) ?? (location.unknown.contains(.loop) || isLoopVariable) else {
            return unknownRoot(Spanned(reference.name, at: site.span(of: reference.nameRange)))
        }
        switch root {
        case .inputs:
            if site.input != nil || location.declarations?.areAllKnown == false { return nil }
            return member(1, kind: "input", in: .inputs) { inputNames }
        case .secrets: return member(1, kind: "secret", in: .secrets) { subject.manifest.secrets.keys.elements }
        case .data: return member(1, kind: "data", in: .data) { subject.manifest.data.keys.elements }
        case .vars where location.unknown.contains(.vars): return nil
        case .vars: return member(1, kind: "variable") { location.vars.map(\.name.value) }
        case .session: return location.unknown.contains(.session) ? nil : session
        case .manifest:
            return member(1, kind: "name") { ["inputs"] }
                ?? member(2, kind: "input", in: .inputs) { subject.manifest.inputs.keys.elements }
        case .run: return member(1, kind: "name") { ["id", "startedAt", "environment"] }
        case .state where isStateUnknown: return nil
        case .state: return member(1, kind: "state") { stateNames }
        case .request: return member(1, kind: "name") { ["method", "url", "query", "params", "body"] }
        case .response:
            return member(1, kind: "name") { ["status", "headers", "cookies", "time", "redirects", "body"] }
        case .document, .steps, .item, nil: return nil
        }
    }

    private func sees(_ root: Reference.Root) -> Bool {
        switch root {
        case .inputs, .manifest, .secrets, .run: true
        case .data: !subject.manifest.data.isEmpty || subject.manifest.unknown.mayDefineSomething(in: .data)
        case .steps: location.graph != nil
        case .state: !stateNames.isEmpty || isStateUnknown
        case .vars: !location.vars.isEmpty || location.unknown.contains(.vars)
        case .session: !location.sessions.isEmpty || location.unknown.contains(.session)
        case .request: [.content, .sending, .response].contains(site.moment)
        case .document: site.moment == .response || site.moment == .values
        case .response: site.moment == .response
        case .item: site.seesItem
        }
    }

    private var isLoopVariable: Bool { variables.contains { $0.hasSameCodePoints(as: reference.name) } }

    /// The names of elements, and in the conditions of `write` those of what is known of the records.
    private var variables: [String] {
        let writes = site.moment == .written ? location.step?.step.flow?.writes ?? [] : []
        let position = site.span(of: reference.nameRange)
        let own = writes.first { $0.span.file == position.file && $0.span.range.overlaps(position.range) }
        return location.loopVariables.map(\.value) + (own.map { [$0] } ?? writes).flatMap(\.summaryNames)
    }

    private var stateNames: [String] { location.graph?.definition.value.state.map(\.name) ?? [] }

    private var isStateUnknown: Bool { location.graph?.definition.value.unknown.contains(.state) ?? false }

    private var inputNames: [String] {
        let own = location.declarations?.inputs.keys.elements ?? []
        let all = subject.manifest.inputs.keys.elements
        return own.isEmpty ? all : own + all.filter { !own.contains($0) }
    }

    private var session: Diagnostic? {
        if location.sessions.count > 1, !location.isOfRequest {
            return Diagnostic(
                "ambiguous-session",
                "'session' is ambiguous here: several services have a session",
                at: site.span(of: reference.nameRange),
                secondary: location.sessions.map { .init($0.call.name.span, "a session") },
                help: ["Take the value from the outputs of a step that uses the session."]
            )
        }
        // The outputs of a session that calls something unknown are unknown too.
        let outputs = location.sessions.compactMap { subject.outputs(of: $0) }
        guard !outputs.isEmpty, outputs.count == location.sessions.count else { return nil }
        return member(1, kind: "session value") { outputs.flatMap { $0 }.map(\.name.value) }
    }

    private func member(
        _ index: Int,
        kind: String,
        in section: ManifestSection? = nil,
        among known: () -> [String]
    ) -> Diagnostic? {
        guard let segment = reference.segments.dropFirst(index - 1).first, let name = segment.name,
            !reference.isGuarded
        else { return nil }
        if let section, subject.manifest.unknown.mayDefine(name, in: section) { return nil }
        let known = known()
        if known.contains(where: { $0.hasSameCodePoints(as: name) }) { return nil }
        return .unknown(kind, Spanned(name, at: site.span(of: segment.range)), among: known)
    }

    private func unknownRoot(_ root: Spanned<String>) -> Diagnostic {
        guard let help = reason(against: root.value) else {
            let isWhole = (site.text as? ManifestExpression)?.expression.text == root.value
            let help = isWhole ? ["Inside an expression, a string needs quotes, such as \"'\(root.value)'\"."] : []
            let names = Reference.Root.allCases.filter(sees).map(\.name) + variables
            return .unknown("name", root, among: names, help: help)
        }
        return Diagnostic("unknown-name", "'\(root.value)' is not available here", at: root.span, help: [help])
    }

    /// Why a name of the expression language is not visible here.
    private func reason(against name: String) -> String? {
        switch (site.moment, name) {
        case (.written, "$"), (.written, "item"), (.written, "request"), (.written, "response"):
            return "Conditions of 'write' use 'records' and the aggregates: compute what they need under 'aggregate'."
        case (.written, "bytes"):
            return "The size of a database is known only when the records are in it; use 'records'."
        case (.values, "request"), (.values, "response"):
            return "A step with 'values' has no response; '$' is the object of its values."
        default: break
        }
        return switch name {
        case "$" where site.moment == .end: "A graph has no data of its own."
        case "$", "response": "There is no response yet when a request is made."
        case "request": "The request has not been made yet."
        case "steps":
            "Only expressions in a graph can use its steps: give the endpoint an input, and set it 'with' the call."
        case "state":
            location.graph == nil
                ? "Only expressions in a graph can use its state: give the endpoint an input, and set it 'with' the call."
                : "The graph has no 'state'."
        case "item": "'item' is the current element in stages that process a list."
        case "data": "The manifest has no 'data'."
        case "vars": "No 'vars' are defined here; those of an endpoint are available in that endpoint only."
        case "session":
            location.level == .defaults || location.graph != nil
                ? "No service has a 'session'." : "The service of this request has no 'session'."
        default: nil
        }
    }
}
