import WaybillDiagnostics
import WaybillFormats
import WaybillManifest

/// A request that is retried must be safe to send again.
struct RetryEffect: ManifestRule {
    /// The failures that occur before anything was sent.
    private static let harmless = ["dns", "connect", "tls", "unreachable"].map(RetryPolicy.Cause.kind)

    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.requests.all.compactMap { site in
            guard let method = site.method, !RequestMethods.isIdempotent(method),
                !site.unknown.contains(RetryPolicy.key)
            else { return nil }
            // The settings of outer levels also apply to other requests.
            let own = site.steps.last?.retry ?? site.definition.settings.retry
            guard let retry = own, !retry.value.isUnsafe, !retry.value.causes.isEmpty,
                !retry.value.causes.contains(where: { Self.harmless.contains($0) })
            else { return nil }
            return Diagnostic(
                "retry-without-effect",
                "\(method) is not retried for any of these: the server may have processed it already",
                severity: .warning,
                at: retry.span,
                help: ["Add 'unsafe: true' if sending the request twice is harmless."]
            )
        }
    }
}
