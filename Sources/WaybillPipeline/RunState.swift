import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults

/// The states of the graphs of a run: those that it starts with, and those that it stores for the next run.
struct RunState {
    /// The states that the run starts with.
    let states: GraphStates

    /// The locked file; `nil` if the run is a part of one, which stores no state.
    private let file: StateFile?
    private let graphs: [GraphPlan]
    private let manifest: String

    /// Locks and reads the states of a plan; `nil` if it has none.
    ///
    /// A run that is embedded or uses the mock server has the default values and stores nothing, unless a file is given.
    init?(of plan: Plan, _ options: RunOptions) throws {
        graphs = plan.graphs.filter { !$0.state.isEmpty }
        let earlier = options.resumed?.record.state
        guard !graphs.isEmpty else { return nil }
        let location = StateLocation(of: plan, given: options.stateFile ?? earlier?.file)
        guard location.isGiven || !options.usesMock && !options.isEmbedded else { return nil }
        // Several parts of a run use the file at once. The last one stores the state.
        file = plan.part == nil ? try StateFile(location.path) : nil
        let content = if let file { file.content } else { try StateFile.read(location.path) }
        try location.check(content)
        manifest = location.manifest
        var values = plan.states(content.graphs)
        // A resumed run keeps the state that it started with.
        for (graph, state) in earlier?.values ?? [:] {
            for (name, value) in state where values[graph]?[name] != nil { values[graph]?[name] = value }
        }
        states = GraphStates(values, file: location.path)
    }

    /// Returns the content of the file after a run that passed with these states; `nil` if another run has stored its
    /// own in the meantime.
    func content(after run: RunID, at time: Timestamp, _ next: [String: RedactedJSON]) -> StateFile.Content? {
        guard var content = file?.content else { return nil }
        let isUnchanged = graphs.allSatisfy { graph in
            graph.state.allSatisfy { definition in
                let stored = content.graphs[graph.name]?[definition.name] ?? definition.defaultValue
                return stored == states.values[graph.name]?[definition.name]
            }
        }
        guard isUnchanged || content.run == run else { return nil }
        for (graph, state) in next { content.graphs[graph] = state.value.object }
        (content.run, content.savedAt, content.manifest) = (run, time, manifest)
        return content
    }

    /// Returns the state file and its new content; `nil` if nothing is stored. Warns if the state was changed during
    /// the run.
    func storage(
        after run: RunID,
        at time: Timestamp,
        _ next: [String: RedactedJSON]?,
        warn: (Diagnostic) -> Void
    ) -> (file: StateFile, content: StateFile.Content)? {
        guard let file, let next, !next.isEmpty else { return nil }
        if let content = content(after: run, at: time, next) { return (file, content) }
        warn(
            Diagnostic(
                "state-changed",
                "the state '\(file.path)' was changed after the run started, and is not replaced",
                severity: .warning,
                at: nil,
                help: ["Another run, or 'waybill state', has stored a newer state. The next run starts from that."]
            )
        )
        return nil
    }
}

extension Plan {
    /// Returns the states of all graphs that have one: the stored values, and default values for the rest.
    func states(_ stored: [String: JSONObject] = [:]) -> [String: JSONObject] {
        var states: [String: JSONObject] = [:]
        for graph in graphs where !graph.state.isEmpty {
            states[graph.name] = JSONObject(
                graph.state.map { ($0.name, stored[graph.name]?[$0.name] ?? $0.defaultValue) }
            )
        }
        return states
    }
}
