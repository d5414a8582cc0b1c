public import WaybillPipeline

/// The reason why a run could not be executed or recorded, such as a results folder that could not be created or a
/// secret without a value.
///
/// The property `code`, a `RunError.Code`, tells programs what the reason is about. Later versions may add codes.
///
/// | code | meaning |
/// |---|---|
/// | `invalidManifest` | The manifest has errors, or parts of it that have already run were changed. Nothing was sent. |
/// | `missingSecret` | A secret has no value, or one that is too long. Nothing was sent. |
/// | `loginRequired` | A user must log in before the run, with `waybill login`. Nothing was sent. |
/// | `secretSource` | The source of secrets threw an error. Nothing was sent. |
/// | `stopped` | The run was stopped or cancelled before it could start. Nothing was sent. |
/// | `unknownStep` | No step has the path that was given. |
/// | `missingFolder` | The run writes files, but it has no folder for its results. Nothing was sent. |
/// | `fileConflict` | A file of the run would replace another one, or cannot be written. Nothing was sent. |
/// | `unwritableResults` | The folder of the results or a file in it could not be written. |
/// | `unusableState` | The states of the graphs cannot be read or stored, or another run is using them. |
/// | `transport` | What sends the requests, or the mock server, could not be started. Nothing was sent. |
/// | `runInProgress` | The run is still running. |
/// | `unreadableRun` | The folder does not contain a run, or its journal is damaged. |
/// | `unsafeRepetition` | The run cannot be resumed without repeating requests that must not be sent twice. Nothing was sent. |
/// | `shards` | The runs are not all shards of one run, or cannot be combined. |
///
/// The property `message` is for people, and the description also shows the `diagnostics` with their source lines.
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
