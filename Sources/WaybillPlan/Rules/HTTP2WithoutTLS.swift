import WaybillDiagnostics
import WaybillFormats
import WaybillManifest

/// `http: 2` is agreed on in the TLS handshake, which requests to `http://` do not have.
struct HTTP2WithoutTLS: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var seen: Set<SourceSpan> = []
        return subject.requests.all.compactMap { site in
            guard let version = site.nearest(.http, \.http),
                version.value == .http2, Self.hasNoTLS(site), seen.insert(version.span).inserted
            else { return nil }
            return Diagnostic(
                "http2-without-tls",
                "'http: 2' requires https: HTTP/2 is agreed on in the TLS handshake",
                at: version.span,
                help: ["Write 'http: 2-prior-knowledge' for a server that speaks HTTP/2 without TLS."]
            )
        }
    }

    /// Whether the address of a request is known to start with `http:`.
    private static func hasNoTLS(_ site: RequestSite) -> Bool {
        guard !site.definition.unknown.contains(.address) else { return false }
        let address: Setting<ScalarTemplate>? =
            switch site.definition.address {
            case .url(let url): url
            case .computed: nil
            case .path: site.nearest(.baseURL, \.baseURL)
            }
        guard let text = address?.value.constantText else { return false }
        return URIReference(text).scheme?.lowercased() == "http"
    }
}
