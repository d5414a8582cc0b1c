import WaybillDiagnostics
import WaybillManifest

/// Methods are case-sensitive (RFC 9110, section 9.1): `get` is not `GET`.
struct LowercaseMethod: ManifestRule {
    private static let standard: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]

    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.requests.all.compactMap { site in
            guard let method = site.method, let span = site.definition.method?.span,
                !Self.standard.contains(method), Self.standard.contains(method.uppercased())
            else { return nil }
            return Diagnostic(
                "lowercase-method",
                "the method '\(method)' is not '\(method.uppercased())': methods are case-sensitive",
                severity: .warning,
                at: span,
                help: ["Write \(method.uppercased())."]
            )
        }
    }
}
