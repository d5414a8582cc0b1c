import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// A prefix in an expression of XPath must be bound to a namespace, the same one in the whole manifest.
struct NamespacePrefixes: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var bound: [String: Setting<NamespaceSetting>] = [:]
        var diagnostics: [Diagnostic] = []
        for setting in subject.settings.flatMap(\.namespaces) {
            let (name, namespace) = (setting.value.name, setting.value.namespace)
            guard let first = bound[name.value] else {
                bound[name.value] = setting
                continue
            }
            guard !first.value.namespace.value.hasSameCodePoints(as: namespace.value) else { continue }
            diagnostics.append(
                Diagnostic(
                    "ambiguous-prefix",
                    "the prefix '\(name.value)' is bound to another namespace elsewhere",
                    at: namespace.span,
                    secondary: [.init(first.value.namespace.span, "the other namespace")],
                    help: ["A prefix is valid in the whole manifest. Choose another one for this namespace."]
                )
            )
        }
        let isUnknown = subject.settings.contains { $0.unknown.contains(NamespaceSetting.key) }
        guard !isUnknown else { return diagnostics }
        for prefix in subject.references.prefixes where bound[prefix.value] == nil {
            let example = "namespaces: {\(prefix.value): \"http://…\"}"
            let help = "Bind it at the service, the endpoint or the defaults: \(example)."
            diagnostics.append(.unknown("prefix", prefix, among: bound.keys.sorted(), help: [help]))
        }
        return diagnostics
    }
}

extension RuleSubject {
    /// The namespaces of the manifest by prefix.
    var namespaces: [String: String] {
        let pairs = settings.flatMap(\.namespaces).map { ($0.value.name.value, $0.value.namespace.value) }
        return Dictionary(pairs) { first, _ in first }
    }
}
