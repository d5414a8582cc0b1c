import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// What a run writes lies in its results folder.
struct ResultPaths: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        guard !subject.allowsOutside else { return [] }
        var diagnostics: [Diagnostic] = []
        func check(_ path: ScalarTemplate?) {
            guard let path, ResultPath.leaves(path) else { return }
            diagnostics.append(
                Diagnostic(
                    "outside-folder",
                    "this lies outside the results folder",
                    at: path.span,
                    help: [
                        "Paths of what is written are relative to the results folder; --out says where that is."
                            + " Use --allow-outside if that is meant."
                    ]
                )
            )
        }
        for endpoint in subject.manifest.endpoints.values { check(endpoint.value.request.download?.to) }
        subject.forEachStep { site in
            check(site.step.flow?.write?.to)
            if case .request(let definition) = site.step.action { check(definition.download?.to) }
        }
        return diagnostics
    }
}
