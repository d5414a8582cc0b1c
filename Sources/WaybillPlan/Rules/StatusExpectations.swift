import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// The expected statuses of a request must be possible, and must not contradict its other expectations.
struct StatusExpectations: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.diagnosticsOfRequests(check)
    }

    private func check(_ site: RequestSite) -> [Diagnostic] {
        guard let expected = site.expectedStatus, let constants = expected.value.constants, !constants.isEmpty else {
            return site.method == "HEAD" ? bodyNeeds(of: site, because: "the response to HEAD has no body", nil) : []
        }
        let status = expected.map { _ in constants }
        var diagnostics: [Diagnostic] = []
        if status.value.contains(where: { $0.digit == 1 }) {
            let help = "Servers send it before the response; expect the status of the response itself."
            diagnostics.report(
                "status-contradiction",
                "the status of a response is never 1xx",
                at: status.span,
                help: [help]
            )
        }
        let follows = site.redirects?.value ?? RedirectsSetting.default
        if follows > 0, !site.unknown.contains(RedirectsSetting.key), status.value.allSatisfy(\.isRedirect) {
            diagnostics.report(
                "status-contradiction",
                "redirects are followed, so this status occurs only if a redirect cannot be followed",
                severity: .warning,
                at: status.span,
                secondary: site.redirects.map { [.init($0.span, "followed because of this")] } ?? [],
                help: ["Add 'redirects: false' to check the redirect itself."]
            )
        }
        let label = Diagnostic.Label(status.span, "the expected status")
        if status.value.allSatisfy(\.hasNoBody) {
            let words = status.value.map(\.description).joined(separator: " or ")
            diagnostics += bodyNeeds(of: site, because: "a response with status \(words) has no body", label)
        } else if site.method == "HEAD" {
            diagnostics += bodyNeeds(of: site, because: "the response to HEAD has no body", nil)
        }
        return diagnostics
    }

    // MARK: Answers without a body

    private func bodyNeeds(of site: RequestSite, because reason: String, _ label: Diagnostic.Label?) -> [Diagnostic] {
        let needs = needs(of: site)
        guard let first = needs.first else { return [] }
        return [
            Diagnostic(
                "status-contradiction",
                "\(reason), but this needs one",
                at: first,
                secondary: [label].compactMap { $0 } + needs.dropFirst().map { .init($0, "this too") }
            )
        ]
    }

    private func needs(of site: RequestSite) -> [SourceSpan] {
        let expectations = site.merged.entries.filter { $0.value.key == ExpectationSetting.key }
        var spans = expectations.spans(needingData: \.needsData)
        spans += site.definition.outputs.filter(\.value.needsData).map(\.value.span)
        if let returns = site.definition.returns { spans.append(returns.span) }
        if let download = site.definition.download { spans.append(download.span) }
        // Filters of outer levels, and those of an endpoint for a call, also apply to other requests.
        if site.step != nil { spans += site.steps.suffix(1).flatMap { $0.filters }.map(\.span) }
        if site.step == nil || site.endpoint == nil {
            spans += site.definition.settings.filters.map(\.span)
        }
        return spans
    }
}

extension StatusPattern {
    /// Whether only redirects that are followed have the status (RFC 9110, section 15.4).
    fileprivate var isRedirect: Bool {
        switch self {
        case .code(let code): [301, 302, 303, 307, 308].contains(code)
        case .class(let digit): digit == 3
        }
    }

    /// Whether responses with the status never have a body (RFC 9110, section 6.4.1).
    fileprivate var hasNoBody: Bool {
        switch self {
        case .code(let code): [204, 205, 304].contains(code)
        case .class: false
        }
    }
}

extension ManifestExpression {
    /// Whether the value does not exist without data.
    fileprivate var needsData: Bool { references.contains { $0.name == "$" && !$0.isGuarded } }
}
