import WaybillDiagnostics
import WaybillFormats
import WaybillManifest
import WaybillRuntime

/// `http: 2` is negotiated in the TLS handshake, which requests to `http://` do not have.
struct HTTP2WithoutTLS: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.requests.all.compactMap { site in
            guard let version = site.nearest(HTTPVersion.key, { $0.http }), version.value == .http2,
                site.hasNoTLS
            else { return nil }
            return Diagnostic(
                "http2-without-tls",
                "'http: 2' requires https: HTTP/2 is agreed on in the TLS handshake",
                at: version.span,
                help: ["Write 'http: 2-prior-knowledge' for a server that speaks HTTP/2 without TLS."]
            )
        }
    }
}

/// A certificate can be expected or pinned only in a TLS connection. Pins of outer levels may be for other requests, or
/// for other environments.
struct CertificateWithoutTLS: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.requests.all.compactMap { site in
            let own = site.definition.settings.tlsOptions + (site.step?.step.settings.tlsOptions ?? [])
            if let pins = own.first(where: { if case .pins = $0.value { true } else { false } }), site.hasNoTLS {
                return Diagnostic(
                    "certificate-without-tls",
                    "a request to http:// has no certificate, so the pins are not checked",
                    at: pins.span,
                    help: ["Write the address with https://, or remove 'pins'."]
                )
            }
            guard let certificate = site.nearest(ExpectationSetting.key, { $0.expectedCertificate.first }),
                site.hasNoTLS
            else { return nil }
            return Diagnostic(
                "certificate-without-tls",
                "a request to http:// has no certificate",
                at: certificate.span,
                help: ["Write the address with https://, or remove 'certificate'."]
            )
        }
    }
}

extension RequestSite {
    /// Whether the address of the request is known to start with `http:`.
    fileprivate var hasNoTLS: Bool {
        guard !definition.unknown.contains(.address) else { return false }
        let address: Setting<ScalarTemplate>? =
            switch definition.address {
            case .url(let url): url
            case .computed: nil
            case .path: nearest(BaseURLSetting.key, { $0.baseURL })
            }
        guard let text = address?.value.constantText else { return false }
        return URIReference(text).scheme?.lowercased() == "http"
    }
}
