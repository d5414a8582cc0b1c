import WaybillDiagnostics
import WaybillManifest

/// A snapshot holds the data of one response, or the values of one step: the elements of a `forEach` or the pages of a `paginate` cannot share it.
struct SnapshotSharing: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.steps.compactMap { site in
            let loop = (site.step.flow?.forEach ?? site.loopAround)?.span
            guard let span = loop ?? site.step.flow?.paginate?.span else { return nil }
            let ofRequests = subject.requests.of(site).lazy.compactMap { $0.snapshot }.first
            guard let snapshot = ofRequests ?? site.step.snapshotOfValues else { return nil }
            let words = loop == nil ? "pages" : "elements"
            return Diagnostic(
                "same-file",
                "the \(words) would be compared with the same snapshot",
                at: snapshot.span,
                secondary: [.init(span, "these \(words)")],
                help: ["Use 'json', 'schema' or conditions for these, or 'write' for their data."]
            )
        }
    }
}

extension Step {
    /// The snapshot that the values of the step must equal.
    fileprivate var snapshotOfValues: Setting<ExpectedSnapshot>? {
        if case .values = action { settings.expectedSnapshot } else { nil }
    }
}
