public import WaybillPipeline

/// The reason why a run could not be executed or recorded, such as a results folder that could not be created or a
/// secret without a value.
public typealias RunError = WaybillPipeline.RunError

extension RunError {
    /// Diagnostics with locations in the manifest, such as that of a secret without a value.
    public var diagnostics: [ManifestDiagnostic] { manifestDiagnostics.map(ManifestDiagnostic.init) }
}

extension RunError: CustomStringConvertible {
    /// The message, and the diagnostics with source lines.
    public var description: String {
        manifestDiagnostics.isEmpty ? message : "\(message)\n\(diagnostics.document)"
    }
}
