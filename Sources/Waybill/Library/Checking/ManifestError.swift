import WaybillDiagnostics

/// A manifest, or what was asked for of it, that cannot be used; nothing was sent.
public struct ManifestError: Error, Sendable, Equatable {
    /// Everything that was found, in the order of the text; warnings are among them, and at least one error.
    public let findings: [Finding]

    init(_ diagnostics: [Diagnostic]) {
        findings = diagnostics.map(Finding.init)
    }
}

extension ManifestError: CustomStringConvertible {
    /// All findings as `waybill validate` shows them, with the lines of the text, and a last line that counts them.
    public var description: String { HumanRenderer().document(for: findings.map(\.diagnostic)) }
}
