package import WaybillFormats
package import WaybillJSON

/// The content of a run's journal: how the run was started, and which parts of it have finished.
package struct RunRecord: Sendable {
    /// The run's name.
    package private(set) var id: RunID
    /// The manifest's path, as it was specified.
    package private(set) var manifest: String
    /// The environment that was applied to the manifest.
    package private(set) var environment: String?
    /// The graphs.
    package private(set) var graphs: [String]
    /// The values of the manifest's inputs; `nil` if any of them was secret.
    package private(set) var inputs: JSONObject?
    /// The states of the graphs at the start of the run, and the file that they were read from.
    package private(set) var state: GraphStates
    /// The selection of steps, as in the run's first event.
    package private(set) var selection: JSON?
    /// The part of the run that the last process executed, as in the events; `nil` if it was the whole run.
    package private(set) var part: JSON?
    /// Whether it started with the steps before the shards, which another process has run.
    package private(set) var continuesPhase: Bool
    /// Whether the mock server received the requests.
    package private(set) var isMocked: Bool
    /// When the run was first started.
    package private(set) var startedAt: Timestamp
    /// The time of the last event.
    package private(set) var lastEventAt: Timestamp
    /// The duration of the run; see `RunResult.time`.
    package private(set) var time: Duration
    /// How the run finished, unless it was killed.
    package private(set) var outcome: RunOutcome?
    /// The responses of operations that were received, each kind once.
    package private(set) var coveredResponses: Set<RunEvent.CoveredResponse> = []
    /// The results of the steps.
    package var steps = EarlierSteps()
    /// The number of the last event.
    package private(set) var lastNumber = 0
    /// The number of valid bytes in the journal.
    package private(set) var length = 0

    /// Whether the process of the run ended after the run had passed, and before its state was stored.
    package var isStateUnstored: Bool {
        // A selection of steps, or a part of the run, stores no state.
        guard outcome == .passed, selection == nil, part == nil, let file = state.file,
            let stored = try? StateFile.read(file)
        else { return false }
        // What was stored since the start of the run is newer than its state.
        return stored.run != id && stored.savedAt.map { $0 <= startedAt } ?? true
    }

    /// Reads the journal of a results folder.
    ///
    /// - Throws: An error if the journal cannot be read, is not a journal, or has a damaged line.
    package init(folder: String) throws(ResultsError) {
        let path = "\(folder)/\(FolderContents.journal)"
        try self.init(path: path, folder: folder) { (reader, take) throws(ResultsError) in try reader.read(take) }
    }

    /// Reads a journal from memory.
    package init(journal bytes: [UInt8]) throws(ResultsError) {
        try self.init(path: FolderContents.journal, folder: ".") { (reader, take) throws(ResultsError) in
            try reader.read(bytes, take)
        }
    }

    private init(
        path: String,
        folder: String,
        _ read: (inout JournalReader, (JSON) -> Void) throws(ResultsError) -> Void
    ) throws(ResultsError) {
        var reader = JournalReader(path)
        var isEmpty = true
        var start: RunEvent?
        var last: Timestamp?
        var outcome: RunOutcome?
        var part: JSON?
        var covered: Set<RunEvent.CoveredResponse> = []
        var steps = EarlierSteps()
        var stopwatch = JournalStopwatch()
        try read(&reader) { json in
            defer { isEmpty = false }
            guard let event = RunEvent(json: json) else { return }
            if isEmpty { start = event }
            last = event.at
            stopwatch.take(event)
            switch event.kind {
            case .runStarted(let start): (outcome, part) = (nil, start.part?.value)
            case .runFinished(let end, _): outcome = end
            case .operationCovered(let response): covered.insert(response)
            default: steps.take(event)
            }
        }
        guard !isEmpty else {
            if RunFolder.isUnfinishedMerge(folder) {
                throw ResultsError(
                    "the merge into '\(folder)' has not finished",
                    command: "; repeat it with 'waybill merge'"
                )
            }
            throw ResultsError(
                "the run in '\(folder)' was stopped before it sent or recorded anything: run the manifest again",
                command: " with '--out \(folder)'"
            )
        }
        guard let start, case .runStarted(let parameters) = start.kind else {
            throw ResultsError("'\(path)' is not the journal of a run")
        }
        id = parameters.run
        manifest = parameters.manifest
        startedAt = start.at
        lastEventAt = last ?? start.at
        environment = parameters.environment
        graphs = parameters.graphs
        inputs = parameters.inputs?.value.object
        state = GraphStates(json: parameters.state?.value, file: parameters.stateFile)
        selection = parameters.selection?.value
        isMocked = parameters.isMocked
        continuesPhase = parameters.part?.value["phase"] != nil
        self.outcome = outcome
        self.part = part
        time = stopwatch.total
        coveredResponses = covered
        self.steps = steps
        lastNumber = reader.lastNumber
        length = reader.length
    }
}
