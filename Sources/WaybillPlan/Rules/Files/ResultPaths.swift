import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// The files that a run writes must be inside its results folder.
struct ResultPaths: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        // The server may name a downloaded file, in a folder.
        func check(_ path: ScalarTemplate?, isFolder: Bool = true) {
            guard let path else { return }
            if ResultPath.isReserved(path) {
                diagnostics.report(
                    "reserved-file",
                    "'\(path.constantText ?? "")' is reserved for a file that every run writes",
                    at: path.span,
                    help: ["Use another name."]
                )
            }
            if let text = path.constantText, let reason = ResultPath.reasonAgainst(text, isFolder: isFolder) {
                diagnostics.report("invalid-value", reason, at: path.span, help: ["Use another name."])
                return
            }
            guard !subject.allowsOutside, ResultPath.leaves(path) else { return }
            diagnostics.report(
                "outside-folder",
                "this path is outside the results folder",
                at: path.span,
                help: [
                    "The paths of written files are relative to the results folder, which --out sets."
                        + " Use --allow-outside if this is intended."
                ]
            )
        }
        for endpoint in subject.manifest.endpoints.values { check(endpoint.value.request.download?.to) }
        for settings in subject.settings { check(settings.downloads?.value) }
        for site in subject.steps {
            check(site.step.flow?.write?.to, isFolder: false)
            if case .request(let definition) = site.step.action { check(definition.download?.to) }
        }
        return diagnostics
    }
}
