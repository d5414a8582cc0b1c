import WaybillDiagnostics
import WaybillManifest

/// Servers are asked to prove who they are.
struct VerificationOff: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        for settings in subject.settings where settings.has(.tls) {
            for entry in settings.entries {
                guard case .tls(let name, let option?) = entry.value, option.isOff else { continue }
                diagnostics.append(
                    Diagnostic(
                        "verification-off",
                        name == .verify
                            ? "anybody can pretend to be this server: its certificate is not verified"
                            : "anybody with a certificate can pretend to be this server: its name is not verified",
                        severity: .warning,
                        at: entry.span,
                        help: ["A server with a certificate of its own making is trusted with 'ca' or 'pins'."]
                    )
                )
            }
        }
        return diagnostics
    }
}

extension TLSOption {
    fileprivate var isOff: Bool {
        switch self {
        case .verify(let isOn), .verifyHost(let isOn): !isOn
        case .ca, .pins, .pinMode, .certificate, .key, .minVersion: false
        }
    }
}
