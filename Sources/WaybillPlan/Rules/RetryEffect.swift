import WaybillDiagnostics
import WaybillManifest

/// A request that is retried must be safe to send again.
struct RetryEffect: ManifestRule {
    /// The methods that may be sent twice (RFC 9110, section 9.2.2).
    private static let idempotent = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]
    /// The failures that occur before anything was sent.
    private static let harmless = ["dns", "connect", "tls", "unreachable"]

    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        var seen: Set<SourceSpan> = []
        for site in subject.requests.all {
            guard let method = site.method, !Self.idempotent.contains(method), !site.unknown.contains(RetryPolicy.key)
            else {
                continue
            }
            // The settings of outer levels also apply to other requests.
            let own = site.steps.last?.retry ?? site.definition.settings.retry
            guard let retry = own, !retry.value.isUnsafe, !retry.value.causes.isEmpty,
                !retry.value.causes.contains(where: Self.isHarmless), seen.insert(retry.span).inserted
            else { continue }
            diagnostics.append(
                Diagnostic(
                    "retry-without-effect",
                    "\(method) is not retried for any of these: the server may have processed it already",
                    severity: .warning,
                    at: retry.span,
                    help: ["Add 'unsafe: true' if sending the request twice is harmless."]
                )
            )
        }
        return diagnostics
    }

    private static func isHarmless(_ cause: RetryPolicy.Cause) -> Bool {
        if case .kind(let kind) = cause { harmless.contains(kind) } else { false }
    }
}
