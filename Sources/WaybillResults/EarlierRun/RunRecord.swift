package import WaybillFormats
package import WaybillJSON

/// What the journal of a run says: how it began, and what of it has ended.
package struct RunRecord: Sendable {
    /// The run's name.
    package private(set) var id: RunID
    /// The manifest's path, as it was given.
    package private(set) var manifest: String
    /// The environment that was laid over it.
    package private(set) var environment: String?
    /// The graphs.
    package private(set) var graphs: [String]
    /// The values of the manifest's inputs; `nil` where a secret was among them.
    package private(set) var inputs: JSONObject?
    /// The states of the graphs that the run began with, and the file that it read them from.
    package private(set) var state: GraphStates
    /// The limits of the run, as in its first event.
    package private(set) var selection: JSON?
    /// Whether the mock server received the requests.
    package private(set) var isMocked: Bool
    /// When the run began for the first time.
    package private(set) var startedAt: Timestamp
    /// How long it ran; see `RunResult.time`.
    package private(set) var time: Duration
    /// How it ended, if it was not killed.
    package private(set) var outcome: RunOutcome?
    /// What its steps came to.
    package var steps = EarlierSteps()
    /// The number of the last event.
    package private(set) var lastNumber = 0
    /// The bytes of the journal that count.
    package private(set) var length = 0

    /// Reads the journal of a results folder.
    ///
    /// - Throws: `ResultsError` where it cannot be read or is no journal, `JournalDamage` where a line of it is damaged.
    package init(folder: String) throws {
        let path = "\(folder)/\(FolderContents.journal)"
        try self.init(path: path, folder: folder) { reader, take in try reader.read(take) }
    }

    /// Reads a journal from memory.
    package init(journal bytes: [UInt8]) throws {
        try self.init(path: FolderContents.journal, folder: ".") { reader, take in try reader.read(bytes, take) }
    }

    private init(
        path: String,
        folder: String,
        _ read: (inout JournalReader, (JSON) -> Void) throws -> Void
    ) throws {
        var reader = JournalReader(path)
        var first: JSON?
        var outcome: RunOutcome?
        var steps = EarlierSteps()
        var stopwatch = JournalStopwatch()
        try read(&reader) { event in
            if first == nil { first = event }
            stopwatch.take(event)
            switch event["type"]?.string {
            case "run.started": outcome = nil
            case "run.finished": outcome = event["outcome"]?.string.flatMap(RunOutcome.init)
            default: steps.take(event)
            }
        }
        guard first != nil else {
            throw ResultsError(
                path: path,
                "the run in '\(folder)' ended before it had sent or recorded anything; delete the folder and start the run again"
            )
        }
        guard let start = first, start["type"] == "run.started",
            let id = start["run"]?.string.flatMap(RunID.init), let manifest = start["manifest"]?.string,
            let startedAt = start["at"]?.string.flatMap(Timestamp.init(rfc3339:))
        else { throw ResultsError(path: path, "'\(path)' does not begin like the journal of a run") }
        self.id = id
        self.manifest = manifest
        self.startedAt = startedAt
        environment = start["environment"]?.string
        graphs = start["graphs"]?.array?.compactMap(\.string) ?? []
        inputs = start["inputs"]?.object
        state = GraphStates(json: start["state"], file: start["stateFile"]?.string)
        selection = start["selection"]
        isMocked = start["mock"] == true
        self.outcome = outcome
        time = stopwatch.total
        self.steps = steps
        lastNumber = reader.lastNumber
        length = reader.length
    }
}
