import WaybillDiagnostics

extension RunError {
    /// Diagnostics with locations in the manifest, such as that of a secret without a value.
    public var diagnostics: [ManifestDiagnostic] { manifestDiagnostics.map(ManifestDiagnostic.init) }
}

extension RunError: CustomStringConvertible {
    /// The message, and the diagnostics with source lines.
    public var description: String {
        manifestDiagnostics.isEmpty ? message : "\(message)\n\(HumanRenderer().document(for: manifestDiagnostics))"
    }
}
