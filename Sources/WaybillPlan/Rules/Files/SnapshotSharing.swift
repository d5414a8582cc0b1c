import WaybillDiagnostics
import WaybillManifest

/// A snapshot holds the data of one response, or the values of one step: the elements of a `forEach` or the pages of a `paginate` cannot share it.
struct SnapshotSharing: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let ofElements = subject.steps.compactMap { site in
            (site.step.flow?.forEach ?? site.loopAround).flatMap { loop in
                diagnostic(subject.requests.of(site), site.step.snapshotOfValues, "elements", loop.span)
            }
        }
        return ofElements
            + subject.paginations.compactMap { diagnostic($0.requests, nil, "pages", $0.paginate.span) }
    }

    private func diagnostic(
        _ requests: [RequestSite],
        _ ofValues: Setting<ExpectedSnapshot>?,
        _ words: String,
        _ span: SourceSpan
    ) -> Diagnostic? {
        guard let snapshot = requests.lazy.compactMap({ $0.snapshot }).first ?? ofValues else { return nil }
        return Diagnostic(
            "same-file",
            "the \(words) would be compared with the same snapshot",
            at: snapshot.span,
            secondary: [.init(span, "these \(words)")],
            help: ["Use 'json', 'schema' or conditions for these, or 'write' for their data."]
        )
    }
}

extension Step {
    /// The snapshot that the values of the step must equal.
    fileprivate var snapshotOfValues: Setting<ExpectedSnapshot>? {
        if case .values = action { settings.expectedSnapshot } else { nil }
    }
}
