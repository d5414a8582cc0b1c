import CSchemas

/// The published schemas as of the build.
package enum EmbeddedSchema: String, Sendable, CaseIterable {
    /// `schemas/manifest.schema.json`: the schema of a manifest.
    case manifest
    /// `schemas/run.schema.json`: the summary of a run, `run.json`.
    case run
    /// `schemas/suite.schema.json`: the list of the runs of several manifests, `suite.json`.
    case suite
    /// `schemas/state.schema.json`: a file of the state between runs.
    case state
    /// `schemas/event.schema.json`: a line of the journal, `events.ndjson`.
    case event
    /// `schemas/diagnostics.schema.json`: diagnostics as JSON.
    case diagnostics
    /// `schemas/plan.schema.json`: a plan as JSON.
    case plan

    /// The `$id` of a published schema.
    package static func identifier(_ name: String) -> String { "https://waybill.dev/schemas/\(name).schema.json" }

    /// The bytes of the file.
    package var text: [UInt8] {
        let text =
            switch self {
            case .manifest: embedded_manifest_schema()
            case .run: embedded_run_schema()
            case .suite: embedded_suite_schema()
            case .state: embedded_state_schema()
            case .event: embedded_event_schema()
            case .diagnostics: embedded_diagnostics_schema()
            case .plan: embedded_plan_schema()
            }
        return unsafe Array(UnsafeBufferPointer(start: text.bytes, count: text.size))
    }
}
