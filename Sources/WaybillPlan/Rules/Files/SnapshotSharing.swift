import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// A snapshot holds the data of one response: the elements of a `forEach`, the pages of a `paginate` or two steps cannot
/// share it.
///
/// Two conditional steps are ignored, because they may exclude each other.
struct SnapshotSharing: ManifestRule {
    /// A step that compares its data with a snapshot.
    private struct Use {
        let site: StepSite
        let snapshot: Setting<ExpectedSnapshot>
    }

    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let uses = subject.steps.compactMap { site -> Use? in
            let snapshots = subject.requests.of(site).lazy.compactMap {
                $0.nearest(ExpectationSetting.key, \.expect.snapshot)
            }
            return snapshots.first.map { Use(site: site, snapshot: $0) }
        }
        guard !uses.isEmpty else { return [] }
        let runs = GraphRuns(subject)
        let byFile = Dictionary(grouping: uses) { CodePoints($0.snapshot.value.namedFile.location) }
        return uses.compactMap(repetition) + byFile.values.compactMap { sharing(of: $0, runs) }
    }

    private func repetition(_ use: Use) -> Diagnostic? {
        let loop = (use.site.step.flow?.forEach ?? use.site.loopAround)?.span
        guard let span = loop ?? use.site.step.flow?.paginate?.span else { return nil }
        let words = loop == nil ? "pages" : "elements"
        return Diagnostic(
            "same-file",
            "the \(words) would be compared with the same snapshot",
            at: use.snapshot.span,
            secondary: [.init(span, "these \(words)")],
            help: ["Use 'json', 'schema' or conditions for these, or 'write' for their data."]
        )
    }

    private func sharing(of uses: [Use], _ runs: GraphRuns) -> Diagnostic? {
        if let (first, second) = runs.firstTogether(
            of: uses,
            graph: \.site.graph.name.value,
            isConditional: \.site.isConditional
        ) {
            let isShared = first.snapshot.span == second.snapshot.span
            return Diagnostic(
                "same-file",
                "two steps would be compared with the same snapshot",
                at: isShared ? second.site.step.span : second.snapshot.span,
                secondary: isShared
                    ? [.init(first.site.step.span, "the other step"), .init(first.snapshot.span, "the snapshot")]
                    : [.init(first.snapshot.span, "the other step")],
                help: ["Give each its own snapshot."]
            )
        }
        for use in uses {
            guard let paths = runs.repetition(of: use.site.graph.name.value) else { continue }
            return Diagnostic(
                "same-file",
                "each run of graph '\(use.site.graph.name.value)' would be compared with the same snapshot",
                at: use.snapshot.span,
                secondary: paths.map { .init($0, "run here") },
                help: ["Use 'json', 'schema' or conditions for these."]
            )
        }
        return nil
    }
}
