import WaybillDiagnostics
import WaybillManifest

/// Warns of requests that do not verify the identity of the server.
struct VerificationOff: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.settings.map { $0.tlsOptions }.flatMap { options -> [Diagnostic] in
            // Pins are checked even if the certificate is not, so nobody else can pretend to be this server.
            if options.contains(where: { if case .pins = $0.value { true } else { false } }) { return [] }
            return options.filter(\.value.isVerificationOff).map { option in
                let isOfCertificate = if case .verify = option.value { true } else { false }
                return Diagnostic(
                    "verification-off",
                    isOfCertificate
                        ? "anybody can pretend to be this server: its certificate is not verified"
                        : "anybody with a certificate can pretend to be this server: its name is not verified",
                    severity: .warning,
                    at: option.span,
                    help: ["To trust a server with a self-signed certificate, add its key with 'pins'."]
                )
            }
        }
    }
}
