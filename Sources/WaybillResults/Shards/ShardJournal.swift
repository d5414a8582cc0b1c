package import WaybillFormats
package import WaybillJSON

/// What the journal of a shard contains about the sharded steps.
package struct ShardJournal: Sendable {
    /// A sharded step in one shard.
    package struct Step: Sendable {
        /// The list whose elements were divided; `nil` if the step was skipped.
        package fileprivate(set) var list: RunEvent.ShardedList?
        /// The number of elements of this shard.
        package fileprivate(set) var count = 0
        /// The unfinished file with the records of the elements, if the step writes any.
        package fileprivate(set) var file: RunEvent.ShardFile?
        /// The result of the step.
        package fileprivate(set) var result: StepResult?
        /// What the journal keeps of the result.
        package fileprivate(set) var kept: JSON?
    }

    /// The folder of the shard's run.
    package let folder: String
    /// The sharded steps by their paths.
    package private(set) var steps: [String: Step]
    /// A complete file in the folder.
    package struct File: Sendable {
        /// Its size in bytes; `nil` if it is a database, to which later steps may add tables.
        package var bytes: Int?
        /// Whether an element of a sharded step has written it. Each shard has the files of the steps before.
        package var isOfElement: Bool
    }

    private var files: [CodePoints: File] = [:]
    /// When the last event happened.
    package private(set) var lastTime: Timestamp?

    /// Reads the journal of a shard.
    ///
    /// - Parameter paths: The paths of the sharded steps.
    package init(of folder: String, steps paths: [String]) throws(ResultsError) {
        self.folder = folder
        steps = Dictionary(uniqueKeysWithValues: paths.map { ($0, Step()) })
        var reader = JournalReader("\(folder)/\(FolderContents.journal)")
        try reader.read { take($0) }
    }

    /// The complete files in the folder, ordered by their paths relative to it.
    package var sortedFiles: [(path: String, file: File)] {
        files.map { ($0.key.text, $0.value) }.sorted { $0.path.precedesByCodePoints($1.path) }
    }

    private mutating func take(_ event: JSON) {
        if let time = event["at"]?.string.flatMap(Timestamp.init(rfc3339:)) { lastTime = max(lastTime ?? time, time) }
        let (type, path) = (event["type"]?.string, event["step"]?.string)
        guard let path, steps[path] != nil else {
            guard type == "write.committed" || type == "download.committed", let file = event["path"]?.string else {
                return
            }
            let bytes = event["table"] == nil ? event["bytes"]?.count : nil
            files[CodePoints(file)] = File(bytes: bytes, isOfElement: isInShardedStep(path))
            return
        }
        switch type {
        case "elements.started":
            guard let total = event["total"]?.count, let first = event["first"]?.count else { return }
            steps[path]?.list = RunEvent.ShardedList(count: total, first: first, digest: event["list"]?.string)
            steps[path]?.count = event["elements"]?.count ?? 0
        case "write.sharded": steps[path]?.file = RunEvent.ShardFile(json: event)
        case "step.finished":
            steps[path]?.result = event["result"].flatMap(StepResult.init(json:))
            steps[path]?.kept = event["kept"]
        default: break
        }
    }

    private func isInShardedStep(_ path: String?) -> Bool {
        guard let path else { return false }
        return steps.keys.contains { path.hasPrefix("\($0)[") }
    }
}

extension StepResult {
    /// Returns the result of a step whose elements were divided among shards.
    ///
    /// - Parameter shards: The results of the shards, in order; not empty.
    package static func merged(_ shards: [StepResult]) -> StepResult {
        var result = shards[0]
        for shard in shards.dropFirst() {
            result.attempts += shard.attempts
            if let time = shard.startedAt { result.startedAt = min(result.startedAt ?? time, time) }
            if let time = shard.time, time.total > result.time?.total ?? .zero { result.time = time }
            result.failure = result.failure ?? shard.failure
            if shard.outcome == .tolerated { result.outcome = .tolerated }
            if let elements = shard.elements { result.elements?.add(elements) }
        }
        return result
    }
}

extension RunEvent.KeptRecord {
    /// Returns what the journal keeps of a step whose elements were divided among shards: the `items` of all shards, in
    /// order.
    ///
    /// - Parameters:
    ///   - shards: What the journals of the shards keep.
    ///   - written: The complete file, if later steps use it.
    package static func merged(_ shards: [JSON], written: JSON?) -> RunEvent.KeptRecord {
        let redactor = Redactor()
        func strings(_ name: String) -> [String] {
            var all: [String] = []
            for text in shards.flatMap({ $0[name]?.array ?? [] }).compactMap(\.string) where !all.contains(text) {
                all.append(text)
            }
            return all
        }
        var record = shards.compactMap { $0["record"]?.object }.first
        let items = shards.compactMap { $0["record"]?["items"]?.array }
        if !items.isEmpty { record?["items"] = .array(items.flatMap(\.self)) }
        if let failed = shards.first(where: { $0["record"]?["ok"] == false })?["record"] {
            record?["ok"] = false
            record?["error"] = failed["error"]
        }
        if let written {
            record = record ?? JSONObject([("ok", true)])
            record?["written"] = written.markingBytes
        }
        // Journals contain only redacted values.
        return RunEvent.KeptRecord(
            shards.allSatisfy { $0["use"] == "taken" } ? .taken : .partly,
            record: record.map { redactor.json(.object($0)) },
            lost: strings("lost"),
            cookies: strings("cookies").map { redactor.text($0) }
        )
    }
}
