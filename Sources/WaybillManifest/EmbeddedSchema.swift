import CSchemas

/// The published schemas as of the build.
package enum EmbeddedSchema: String, Sendable, CaseIterable {
    /// `schemas/manifest.schema.json`: the schema of a manifest.
    case manifest
    /// `schemas/run.schema.json`: the summary of a run, `run.json`.
    case run
    /// `schemas/event.schema.json`: a line of the journal, `events.ndjson`.
    case event
    /// `schemas/diagnostics.schema.json`: diagnostics as JSON.
    case diagnostics
    /// `schemas/plan.schema.json`: a plan as JSON.
    case plan

    /// The bytes of the file.
    package var text: [UInt8] {
        let text =
            switch self {
            case .manifest: embedded_manifest_schema()
            case .run: embedded_run_schema()
            case .event: embedded_event_schema()
            case .diagnostics: embedded_diagnostics_schema()
            case .plan: embedded_plan_schema()
            }
        return Array(UnsafeBufferPointer(start: text.bytes, count: text.size))
    }
}
