import WaybillDiagnostics

extension RunError {
    /// What belongs to a place in the manifest, such as a secret without a value.
    public var findings: [Finding] { diagnostics.map(Finding.init) }
}

extension RunError: CustomStringConvertible {
    /// The message, and the findings with the lines of the text.
    public var description: String {
        diagnostics.isEmpty ? message : "\(message)\n\(HumanRenderer().document(for: diagnostics))"
    }
}
