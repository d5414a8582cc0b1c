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
                diagnostics.append(
                    Diagnostic(
                        "reserved-file",
                        "'\(path.constantText ?? "")' is a file that every run writes about itself",
                        at: path.span,
                        help: ["Use another name."]
                    )
                )
            }
            if let text = path.constantText, let reason = ResultPath.reasonAgainst(text, isFolder: isFolder) {
                diagnostics.append(Diagnostic("invalid-value", reason, at: path.span, help: ["Use another name."]))
                return
            }
            guard !subject.allowsOutside, ResultPath.leaves(path) else { return }
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
        for settings in subject.settings { check(settings.downloads?.value) }
        subject.forEachStep { site in
            check(site.step.flow?.write?.to, isFolder: false)
            if case .request(let definition) = site.step.action { check(definition.download?.to) }
        }
        return diagnostics
    }
}
