import WaybillDiagnostics

/// A manifest that has errors, or that cannot be used as requested; nothing was sent.
public struct ManifestError: Error, Sendable, Equatable {
    /// All diagnostics in the order of the text: at least one error, and all warnings.
    public let diagnostics: [ManifestDiagnostic]

    init(_ diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics.map(ManifestDiagnostic.init)
    }
}

extension ManifestError: CustomStringConvertible {
    /// All diagnostics as `waybill validate` shows them, with the lines of the text, and a last line that counts them.
    public var description: String { HumanRenderer().document(for: diagnostics.map(\.diagnostic)) }
}
