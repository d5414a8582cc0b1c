import WaybillDiagnostics
import WaybillFormats
import WaybillManifest

/// Warns of a token endpoint without TLS (RFC 6749, section 3.2), which exposes the client's secret and the token.
struct ReadableCredentials: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.settings.flatMap { settings -> [Diagnostic] in
            guard let oauth2 = settings.auth?.value.method as? OAuth2Authentication else { return [] }
            return oauth2.urls.filter { $0.constantText.map { Self.isReadable(URIReference($0)) } ?? false }.map {
                url in
                Diagnostic(
                    "readable-credentials",
                    "the credentials and the token are sent without encryption",
                    severity: .warning,
                    at: url.span,
                    help: ["Use 'https://'. Only a server on the same machine does not need it."]
                )
            }
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
