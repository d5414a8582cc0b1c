import WaybillDiagnostics
import WaybillManifest

/// Warns of requests that do not verify the identity of the server.
struct VerificationOff: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        for settings in subject.settings where settings.has(TLSSetting.key) {
            // Pins are checked even if the certificate is not, so nobody else can pretend to be this server.
            let hasPins = settings.tls.contains { if case .pins = $0.value { true } else { false } }
            for option in settings.tls where option.value.isVerificationOff && !hasPins {
                let isOfCertificate = if case .verify = option.value { true } else { false }
                diagnostics.append(
                    Diagnostic(
                        "verification-off",
                        isOfCertificate
                            ? "anybody can pretend to be this server: its certificate is not verified"
                            : "anybody with a certificate can pretend to be this server: its name is not verified",
                        severity: .warning,
                        at: option.span,
                        help: ["To trust a server with a self-signed certificate, add its key with 'pins'."]
                    )
                )
            }
        }
        return diagnostics
    }
}
