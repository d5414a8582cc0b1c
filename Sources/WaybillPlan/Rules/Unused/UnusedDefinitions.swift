import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// What a manifest defines is used by something in it.
///
/// Files without graphs are libraries, as are included files: what they define is for others. Graphs and endpoints can be
/// run by name.
struct UnusedDefinitions: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        func isOwn(_ name: Spanned<String>) -> Bool { name.span.file === manifest.file }
        guard manifest.graphs.values.contains(where: { isOwn($0.name) }) else { return [] }
        let used = UsedDefinitions(subject)
        var unused: [(sort: String, name: Spanned<String>)] = []

        func check<Value: Sendable>(
            _ sort: String,
            _ definitions: Definitions<Value>,
            _ isUsed: (String, Value) -> Bool
        ) {
            for (name, definition) in definitions where isOwn(definition.name) && !isUsed(name, definition.value) {
                unused.append((sort, definition.name))
            }
        }
        check("input", manifest.inputs) { name, _ in used.inputs.contains(.manifest(name)) }
        check("secret", manifest.secrets) { name, _ in used.secrets.contains(name) }
        check("data", manifest.data) { name, _ in used.data.contains(name) }
        check("service", manifest.services) { name, _ in used.services.contains(name) }
        check("filter", manifest.filters) { name, _ in used.filters.contains(name) }
        for (endpoint, definition) in manifest.endpoints {
            check("input", definition.value.inputs) { name, _ in used.inputs.contains(.endpoint(endpoint, name)) }
        }
        for (graph, definition) in manifest.graphs {
            check("input", definition.value.inputs) { name, _ in used.inputs.contains(.graph(graph, name)) }
        }
        for variable in subject.variables where isOwn(variable.name) && !used.variables.contains(variable.name.span) {
            unused.append(("variable", variable.name))
        }
        return unused.map { sort, name in
            Diagnostic(
                "unused-definition",
                "nothing uses the \(sort) '\(name.value)'",
                severity: .warning,
                at: name.span
            )
        }
    }
}

extension RuleSubject {
    /// Every variable of a request.
    fileprivate var variables: [VariableDefinition] {
        var variables = manifest.endpoints.values.flatMap(\.value.request.vars)
        forEachStep { site in
            variables += site.step.vars
            if case .request(let definition) = site.step.action { variables += definition.vars }
        }
        return variables
    }
}
