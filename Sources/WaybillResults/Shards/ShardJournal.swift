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
        package fileprivate(set) var kept: RunEvent.KeptRecord?
    }

    /// The folder of the shard's run.
    package let folder: String
    /// The sharded steps by their paths.
    package private(set) var steps: [String: Step]
    /// A complete file in the folder.
    package struct File: Sendable {
        /// Its size in bytes; `nil` if it is a database, to which later steps may add tables.
        package var bytes: Int?
        /// The CRC-32 and the SHA-256 of its content; `nil` if the journal does not have it.
        package var digest: (crc32: UInt32?, sha256: String?)
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
        try reader.readEvents { take($0) }
    }

    /// The complete files in the folder, ordered by their paths relative to it.
    package var sortedFiles: [(path: String, file: File)] {
        files.map { ($0.key.text, $0.value) }.sorted { $0.path.precedesByCodePoints($1.path) }
    }

    private mutating func take(_ event: RunEvent) {
        lastTime = max(lastTime ?? event.at, event.at)
        guard let path = event.step, steps[path] != nil else {
            guard let file = RunFiles.File(event.kind) else { return }
            let isOfElement = isInShardedStep(event.step)
            files[CodePoints(file.path.string)] = File(bytes: file.bytes, digest: file.digest, isOfElement: isOfElement)
            return
        }
        switch event.kind {
        case .elementsStarted(let count, let list?):
            steps[path]?.list = list
            steps[path]?.count = count
        case .writeSharded(let file): steps[path]?.file = file
        case .stepFinished(let result, let kept):
            steps[path]?.result = result
            steps[path]?.kept = kept
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
    /// order, which are not decoded. If they are too long for an event, they are lost.
    ///
    /// - Parameters:
    ///   - shards: What the journals of the shards keep.
    ///   - written: The complete file, if later steps use it.
    package static func merged(_ shards: [RunEvent.KeptRecord], written: JSON?) -> RunEvent.KeptRecord {
        let records = shards.compactMap { $0.record?.value(undecoded: ["items"]) }
        var record = records.lazy.compactMap(\.object).first
        let items = records.compactMap { $0["items"]?.bytes?.dropFirst().dropLast() }
        if !items.isEmpty {
            let all = items.filter { !$0.isEmpty }.joined(separator: [UInt8(ascii: ",")])
            record?["items"] = .bytes([UInt8(ascii: "[")] + all + [UInt8(ascii: "]")])
        }
        if let failed = records.first(where: { $0["ok"] == false }) {
            record?["ok"] = false
            record?["error"] = failed["error"]
        }
        if let written {
            record = record ?? JSONObject([("ok", true)])
            record?["written"] = written.markingBytes
        }
        func whole() -> RedactedJSON? { record.flatMap { RedactedJSON(redacted: .object($0)).encoded } }
        var (kept, lost) = (whole(), shards.flatMap(\.lost))
        if kept == nil, record?.removeValue(named: "items") != nil { (kept, lost) = (whole(), lost + ["items"]) }
        return RunEvent.KeptRecord(
            shards.allSatisfy { $0.use == .taken } ? .taken : .partly,
            record: kept,
            lost: unique(lost),
            cookies: unique(shards.flatMap(\.cookies))
        )
    }

    private static func unique<Value: Hashable>(_ values: [Value]) -> [Value] {
        var known: Set<Value> = []
        return values.filter { known.insert($0).inserted }
    }
}
