import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults

/// The states of the graphs of a run: what it begins with, and what it stores for the next run.
struct RunState {
    /// The states that the run begins with.
    let states: GraphStates

    private let file: StateFile
    private let graphs: [GraphPlan]

    /// Locks and reads the states of a plan; `nil` if it has none.
    ///
    /// A run with the mock server has the default values and stores nothing, unless it is given a file.
    init?(of plan: Plan, _ options: RunOptions) throws(ResultsError) {
        graphs = plan.graphs.filter { !$0.state.isEmpty }
        let earlier = options.resumed?.record.state
        guard !graphs.isEmpty,
            let path = options.stateFile ?? earlier?.file ?? plan.stateFile(isMocked: options.usesMock)
        else { return nil }
        file = try StateFile(path)
        var values = plan.states(file.content.graphs)
        // A resumed run keeps the state that it began with.
        for (graph, state) in earlier?.values ?? [:] {
            for (name, value) in state where values[graph]?[name] != nil { values[graph]?[name] = value }
        }
        states = GraphStates(values, file: path)
    }

    /// What the file has after a run that passed with these states; `nil` if another run has stored its own in the meantime.
    func content(after run: RunID, at time: Timestamp, _ next: [String: RedactedJSON]) -> StateFile.Content? {
        var content = file.content
        let isUnchanged = graphs.allSatisfy { graph in
            graph.state.allSatisfy { definition in
                let stored = content.graphs[graph.name]?[definition.name] ?? definition.defaultValue
                return stored == states.values[graph.name]?[definition.name]
            }
        }
        guard isUnchanged || content.run == run else { return nil }
        for (graph, state) in next { content.graphs[graph] = state.value.object }
        (content.run, content.savedAt) = (run, time)
        return content
    }

    /// What a folder of results is finished with.
    func storage(
        after run: RunID,
        at time: Timestamp,
        _ next: [String: RedactedJSON]?,
        warn: (Diagnostic) -> Void
    ) -> (file: StateFile, content: StateFile.Content)? {
        guard let next, !next.isEmpty else { return nil }
        if let content = content(after: run, at: time, next) { return (file, content) }
        warn(
            Diagnostic(
                "state-changed",
                "the state '\(file.path)' was changed after the run began, and is left as it is",
                severity: .warning,
                at: nil,
                help: ["Another run has stored it since; the next run continues from there."]
            )
        )
        return nil
    }
}

extension Plan {
    /// The file of the states; `nil` where none are stored.
    fileprivate func stateFile(isMocked: Bool) -> String? {
        isMocked ? nil : StateFile.path(in: RunFolders.usual, manifest: name, environment: environment)
    }

    /// The states of all graphs that have one: stored values, and the default values of others.
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
