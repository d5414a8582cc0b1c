import WaybillDiagnostics
import WaybillManifest

/// A request with filters, outputs, `returns` or `write` must expect a status of the class 2xx: they are evaluated only
/// for such responses.
struct NeverTaken: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.diagnosticsOfRequests(check)
    }

    private func check(_ site: RequestSite) -> [Diagnostic] {
        guard site.has(ExpectationSetting.key) else { return [] }
        // A call may expect another status than its endpoint. Other calls still need the endpoint's outputs.
        let step = site.endpoint == nil ? site.steps.suffix(1) : []
        let settings: [Settings] = step + [site.definition.settings]
        guard let status = settings.lazy.compactMap(\.expectedStatus).first,
            !status.value.contains(where: \.mayBeSuccess)
        else { return [] }
        var parts: [(span: SourceSpan, words: String)] = []
        if let output = site.definition.outputs.first { parts.append((output.name.span, "outputs are")) }
        let filter = settings.flatMap { $0.filters }.first {
            if case .named(_, onEveryStatus: true) = $0.value { false } else { true }
        }
        if let filter { parts.append((filter.span, "filters are")) }
        if let returns = site.definition.returns { parts.append((returns.span, "'returns' is")) }
        if let write = site.step?.step.flow?.writes.first { parts.append((write.span, "'write' is")) }
        return parts.map { span, words in
            Diagnostic(
                "status-contradiction",
                "\(words) evaluated only for status 2xx, but another status is expected",
                severity: .warning,
                at: span,
                secondary: [.init(status.span, "the expected status")]
            )
        }
    }
}
