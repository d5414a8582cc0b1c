import WaybillDiagnostics
import WaybillManifest

/// A snapshot holds the data of one response: the elements of a `forEach` or the pages of a `paginate` cannot share it.
struct SnapshotSharing: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        subject.forEachStep { site in
            let loop = site.step.flow?.forEach ?? site.loopAround
            guard
                let (span, words) = loop.map({ ($0.span, "elements") })
                    ?? site.step.flow?.paginate.map({ ($0.span, "pages") }),
                let snapshot = subject.requests.of(site).lazy.compactMap({
                    $0.nearest(ExpectationSetting.key, \.expect.snapshot)
                })
                .first
            else { return }
            diagnostics.append(
                Diagnostic(
                    "same-file",
                    "the \(words) would be compared with the same snapshot",
                    at: snapshot.span,
                    secondary: [.init(span, "these \(words)")],
                    help: ["Use 'json', 'schema' or conditions for these, or 'write' for their data."]
                )
            )
        }
        return diagnostics
    }
}
