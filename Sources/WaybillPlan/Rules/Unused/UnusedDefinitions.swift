import OrderedCollections
import WaybillDiagnostics
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
        var unused: [(sort: String, name: Spanned<String>)] = []

        func check<Value: Sendable>(
            _ sort: String,
            _ definitions: Definitions<Value>,
            _ isUsed: (Int) -> Bool
        ) {
            for index in definitions.keys.indices where !isUsed(index) {
                let name = definitions.values[index].name
                if isOwn(name) { unused.append((sort, name)) }
            }
        }
        check("input", manifest.inputs) { used.inputs.contains(manifest.inputs.keys[$0]) }
        check("secret", manifest.secrets) { used.secrets.contains(manifest.secrets.keys[$0]) }
        check("data", manifest.data) { used.data.contains(manifest.data.keys[$0]) }
        check("service", manifest.services) { used.services.contains(manifest.services.keys[$0]) }
        check("filter", manifest.filters) { used.filters.contains(manifest.filters.keys[$0]) }
        var start = 0
        for inputs in manifest.declaredInputs {
            check("input", inputs) { used.declaredInputs[start + $0] }
            start += inputs.count
        }
        for variable in subject.variables where isOwn(variable.name) && !used.variables.contains(variable.name.span) {
            unused.append(("variable", variable.name))
        }
        let diagnostics = unused.map { sort, name in
            Diagnostic(
                "unused-definition",
                "nothing uses the \(sort) '\(name.value)'",
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

extension Manifest {
    /// The inputs that endpoints and graphs declare, in the order of their numbers.
    fileprivate var declaredInputs: [Definitions<InputDeclaration>] {
        endpoints.values.map(\.value.inputs) + graphs.values.map(\.value.inputs)
    }
}
