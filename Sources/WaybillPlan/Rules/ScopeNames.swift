import OrderedCollections
import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// A name in an expression is one that can be seen where the expression stands.
///
/// What `steps` leads to is another rule's business (`DataFlow`).
struct ScopeNames: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        subject.forEachUse { use, place in
            for reference in use.text.references {
                let scope = NameScope(subject: subject, use: use, place: place)
                if let diagnostic = scope.check(reference) { diagnostics.append(diagnostic) }
            }
        }
        return diagnostics
    }
}

/// What can be seen where an expression stands.
private struct NameScope {
    let subject: RuleSubject
    let use: ExpressionUse
    let place: UsePlace

    func check(_ reference: Reference) -> Diagnostic? {
        let name = reference.name
        guard sees(name) else { return unknownRoot(Spanned(name, at: use.text.span(of: reference.nameRange))) }
        switch name {
        case "inputs": return member(1, of: reference, sort: "input") { inputNames }
        case "secrets": return member(1, of: reference, sort: "secret") { Array(subject.manifest.secrets.keys) }
        case "data": return member(1, of: reference, sort: "data") { Array(subject.manifest.data.keys) }
        case "vars": return member(1, of: reference, sort: "variable") { place.vars.map(\.name.value) }
        case "session": return session(reference)
        case "manifest":
            return member(1, of: reference, sort: "name") { ["inputs"] }
                ?? member(2, of: reference, sort: "input") { Array(subject.manifest.inputs.keys) }
        case "run": return member(1, of: reference, sort: "name") { ["id", "startedAt", "environment"] }
        case "request": return member(1, of: reference, sort: "name") { ["method", "url", "query", "body"] }
        case "response": return member(1, of: reference, sort: "name") { ["status", "headers", "cookies", "time"] }
        default: return nil
        }
    }

    private func sees(_ name: String) -> Bool {
        switch name {
        case "inputs", "manifest", "secrets", "run": true
        case "data": !subject.manifest.data.isEmpty
        case "steps": place.graph != nil
        case "vars": !place.vars.isEmpty
        case "session": !place.sessions.isEmpty || place.isServiceUnknown
        case "request": use.moment == .sending || use.moment == .answer
        case "$", "response": use.moment == .answer
        case "item": use.seesItem
        default: place.loopVariables.contains { $0.value.hasSameCodePoints(as: name) }
        }
    }

    private var names: [String] {
        let all = [
            "inputs", "manifest", "secrets", "data", "vars", "session", "steps", "run", "request", "response", "$",
            "item",
        ]
        return all.filter(sees) + place.loopVariables.map(\.value)
    }

    private var inputNames: [String] {
        let own: [String]
        switch place.level {
        case .endpoint(let name): own = Array(subject.manifest.endpoints[name]?.value.inputs.keys ?? [])
        case .graph(let name): own = Array(subject.manifest.graphs[name]?.value.inputs.keys ?? [])
        case .defaults, .service: own = []
        }
        return own + subject.manifest.inputs.keys.filter { !own.contains($0) }
    }

    private func session(_ reference: Reference) -> Diagnostic? {
        if place.sessions.count > 1, !place.isOfRequest {
            return Diagnostic(
                "ambiguous-session",
                "several services have a session, and it cannot be told which is meant here",
                at: use.text.span(of: reference.nameRange),
                secondary: place.sessions.map { .init($0.call.name.span, "a session") },
                help: ["Take the value from the outputs of a step that uses the session."]
            )
        }
        // What a session that calls something unknown has is unknown too.
        let outputs = place.sessions.compactMap { subject.outputs(of: $0) }
        guard !outputs.isEmpty, outputs.count == place.sessions.count else { return nil }
        return member(1, of: reference, sort: "session value") { outputs.flatMap { $0 }.map(\.name.value) }
    }

    private func member(
        _ index: Int,
        of reference: Reference,
        sort: String,
        among known: () -> [String]
    ) -> Diagnostic? {
        guard let segment = reference.segments.dropFirst(index - 1).first, let name = segment.name,
            !reference.isGuarded
        else { return nil }
        let known = known()
        if known.contains(where: { $0.hasSameCodePoints(as: name) }) { return nil }
        return .unknown(sort, Spanned(name, at: use.text.span(of: segment.range)), among: known)
    }

    private func unknownRoot(_ root: Spanned<String>) -> Diagnostic {
        guard let help = reason(against: root.value) else { return .unknown("name", root, among: names) }
        return Diagnostic("unknown-name", "'\(root.value)' cannot be seen here", at: root.span, help: [help])
    }

    /// Why a name that the language has cannot be seen here.
    private func reason(against name: String) -> String? {
        switch name {
        case "$" where use.moment == .end: "A graph has no data of its own."
        case "$", "response": "There is no answer yet when a request is made."
        case "request": "The request is not made yet."
        case "steps":
            "What is not part of a graph cannot know its steps: give the endpoint an input, and the value 'with' the call."
        case "item": "'item' is the element at hand in stages that go through a list."
        case "data": "The manifest has no 'data'."
        case "vars": "No 'vars' are defined here; those of an endpoint are seen in that endpoint only."
        case "session":
            place.level == .defaults || place.graph != nil
                ? "No service has a 'session'." : "The service of this request has no 'session'."
        default: nil
        }
    }
}
