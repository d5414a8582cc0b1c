import WaybillDiagnostics
import WaybillFormats
import WaybillManifest

/// Warns of a token endpoint without TLS (RFC 6749, section 3.2), which exposes the client's secret and the token.
struct ReadableCredentials: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.settings.compactMap { settings in
            guard let oauth2 = settings.auth?.value.method as? OAuth2Authentication,
                let url = oauth2.tokenURL,
                let text = url.constantText, Self.isReadable(URIReference(text))
            else { return nil }
            return Diagnostic(
                "readable-credentials",
                "the credentials and the token are sent without encryption",
                severity: .warning,
                at: url.span,
                help: ["Use 'https://'. Only a server on the same machine does not need it."]
            )
        }
    }

    private static func isReadable(_ url: URIReference) -> Bool {
        guard url.scheme?.lowercased() == "http", let authority = url.authority?.lowercased() else { return false }
        let isLocal = ["localhost", "127.", "[::1]"].contains { name in
            authority.hasPrefix(name)
                && (name.hasSuffix(".") || [nil, ":"].contains(authority.dropFirst(name.count).first))
        }
        return !isLocal
    }
}
