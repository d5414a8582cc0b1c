import OrderedCollections
import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// A name in an expression is one that can be seen where the expression stands.
///
/// What `steps` leads to is another rule's business (`DataFlow`).
struct ScopeNames: ManifestRule {
    func check(_ manifest: Manifest) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        func check(_ uses: [ExpressionUse], level: Level) {
            let scope = Scope(manifest: manifest, level: level)
            for use in uses {
                for reference in use.holder.references {
                    if let diagnostic = scope.check(reference, in: use) { diagnostics.append(diagnostic) }
                }
            }
        }
        check(manifest.defaults.uses, level: .defaults)
        check(manifest.filters.values.flatMap(\.value).flatMap(\.value.uses), level: .defaults)
        for (name, service) in manifest.services { check(service.value.settings.uses, level: .service(name)) }
        for (name, endpoint) in manifest.endpoints { check(endpoint.value.request.uses, level: .endpoint(name)) }
        for (name, graph) in manifest.graphs {
            check(graph.value.settings.uses, level: .graph(name))
            check(graph.value.outputs.map { ExpressionUse($0.value, .end) }, level: .graph(name))
        }
        manifest.forEachStep { graph, _, step in check(step.ownUses, level: .graph(graph.name.value)) }
        return diagnostics
    }
}

/// What can be seen at one level of the cascade.
private struct Scope {
    let manifest: Manifest
    let level: Level

    /// Names that the language has and this version does not give values to yet.
    private static let later: Set<String> = ["data", "vars", "session"]

    func check(_ reference: Reference, in use: ExpressionUse) -> Diagnostic? {
        let root = Spanned(reference.name, at: use.holder.span(of: reference.nameRange))
        let known = names(at: use.moment)
        guard known.contains(root.value) else { return unknownRoot(root, among: known, moment: use.moment) }
        switch root.value {
        case "inputs":
            return member(1, of: reference, in: use, sort: "input", among: inputNames)
        case "secrets":
            return member(1, of: reference, in: use, sort: "secret", among: Array(manifest.secrets.keys))
        case "manifest":
            if let unknown = member(1, of: reference, in: use, sort: "name", among: ["inputs"]) { return unknown }
            return member(2, of: reference, in: use, sort: "input", among: Array(manifest.inputs.keys))
        case "run":
            return member(1, of: reference, in: use, sort: "name", among: ["id", "startedAt", "environment"])
        case "request":
            return member(1, of: reference, in: use, sort: "name", among: ["method", "url", "query", "body"])
        case "response":
            return member(1, of: reference, in: use, sort: "name", among: ["status", "headers", "cookies", "time"])
        default:
            return nil
        }
    }

    private func names(at moment: Moment) -> [String] {
        var names = ["inputs", "manifest", "secrets", "run"]
        if case .graph = level { names.append("steps") }
        if moment == .sending { names.append("request") }
        if moment == .answer { names += ["$", "request", "response"] }
        return names
    }

    private var inputNames: [String] {
        guard case .endpoint(let name) = level, let endpoint = manifest.endpoints[name]?.value else {
            return Array(manifest.inputs.keys)
        }
        return Array(endpoint.inputs.keys) + manifest.inputs.keys.filter { endpoint.inputs[$0] == nil }
    }

    private func member(
        _ index: Int,
        of reference: Reference,
        in use: ExpressionUse,
        sort: String,
        among known: [String]
    ) -> Diagnostic? {
        guard let segment = reference.segments.dropFirst(index - 1).first, let name = segment.name,
            !known.contains(where: { $0.hasSameCodePoints(as: name) }), !reference.isGuarded
        else { return nil }
        return .unknown(sort, Spanned(name, at: use.holder.span(of: segment.range)), among: known)
    }

    private func unknownRoot(_ root: Spanned<String>, among known: [String], moment: Moment) -> Diagnostic {
        let help: String
        switch root.value {
        case "$":
            help =
                moment == .end
                ? "A graph has no data of its own." : "There is no answer yet when a request is made."
        case "request", "response":
            help = "There is no answer yet when a request is made."
        case "steps":
            help =
                "What is not part of a graph cannot know its steps: give the endpoint an input, and the value 'with' the call."
        case "item":
            help = "'item' is the element at hand in stages that go through a list."
        case _ where Self.later.contains(root.value):
            return Diagnostic(
                "not-supported",
                "this version of Waybill does not support '\(root.value)' in expressions yet",
                at: root.span
            )
        default:
            return .unknown("name", root, among: known)
        }
        return Diagnostic("unknown-name", "'\(root.value)' cannot be seen here", at: root.span, help: [help])
    }
}
