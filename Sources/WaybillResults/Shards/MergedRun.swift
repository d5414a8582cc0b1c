package import WaybillFormats
import WaybillJSON
import WaybillPlatform
import WaybillRuntime

/// The folder into which the runs of all shards are combined.
///
/// The journal gets its name last: if the program ends before that, the folder is not that of a run, and the next merge
/// takes it over. It has the events before the sharded steps as the first shard recorded them, then those of each
/// sharded step, shard by shard. The same shards always give the same bytes.
package struct MergedRun: ~Copyable {
    /// The folder.
    package let path: String
    /// The empty journal, which is locked.
    private let claim: OutputFile
    /// The journal that will replace it.
    private let journal: OutputFile
    private let thread: FileThread

    /// Takes over a folder, which may contain an earlier run.
    package init(_ path: String) throws(ResultsError) {
        try FolderContents.checkParents(of: path, except: nil)
        let thread = try RunFolder.startThread()
        try FolderContents.make(path)
        var unfinished: RunID?
        let claim = try FolderContents.claim(path, disk: .real, replacing: &unfinished)
        let journal = try OutputFile("\(path)/\(FolderContents.mergedJournal)", .any).continued(at: 0)
        (self.path, self.thread) = (path, thread)
        self.claim = claim
        self.journal = journal
    }

    /// Returns one of the given steps that has started in the run in a folder; `nil` if there is no such run.
    package static func startedStep(among paths: [String], in folder: String) -> String? {
        var reader = JournalReader("\(folder)/\(FolderContents.journal)")
        var started: String?
        // A journal that cannot be read is not one that could be resumed.
        try? reader.read { event in
            guard started == nil, let step = event["step"]?.string else { return }
            started = paths.first { step == $0 || step.hasPrefix("\($0).") || step.hasPrefix("\($0)[") }
        }
        return started
    }

    /// A file of records that is combined from the shards.
    package struct File: Sendable {
        /// Its path, relative to the folder.
        package var path: String
        /// Where its records go; the paths of several targets are relative to the folder, too.
        package var container: RecordContainer
        /// The writer of the complete file.
        package var writer: any RecordWriter
        /// The unfinished files of the shards, in order.
        package var parts: [(folder: String, file: RunEvent.ShardFile)]

        /// Creates a file; see the properties.
        package init(
            path: String,
            container: RecordContainer,
            writer: any RecordWriter,
            parts: [(folder: String, file: RunEvent.ShardFile)]
        ) {
            (self.path, self.container, self.writer, self.parts) = (path, container, writer, parts)
        }
    }

    /// Combines the records of the shards in one file, or in several targets.
    ///
    /// - Returns: The content of each file.
    package func combine(_ file: File) async throws(ResultsError) -> [RecordFileWriter.Committed] {
        let paths = ResultPath(root: path, allowsOutside: false)
        let (whole, container) = try file.container.resolved(at: file.path) { (path, _, _) throws(ResultsError) in
            (try paths.prepare(path), nil)
        }
        let writer = try RecordFileWriter(whole, file.writer, in: container, thread: thread)
        for (folder, part) in file.parts {
            try Self.add(part, in: file.container.part(of: "\(folder)/\(file.path)"), to: writer)
            try writer.count(part.records)
        }
        return try await writer.commit(
            until: { false },
            orUntil: { false },
            check: { (_) throws(ResultsError) in },
            announce: { (_, _) throws(ResultsError) in }
        )
    }

    /// Adds the records in the unfinished file of a shard, in pieces that end with a line.
    private static func add(
        _ part: RunEvent.ShardFile,
        in path: String,
        to writer: RecordFileWriter
    ) throws(ResultsError) {
        let file = try InputFile(path)
        var rest = part.bytes
        var piece: [UInt8] = []
        while rest > 0 {
            let next = try file.next(min(rest, 1 << 20))
            guard !next.isEmpty else { break }
            rest -= next.count
            piece += next
            guard rest > 0, let end = piece.lastIndex(of: UInt8(ascii: "\n")) else { continue }
            try writer.append(held: Array(piece[...end]))
            piece.removeFirst(end + 1)
        }
        if !piece.isEmpty { try writer.append(held: piece) }
    }

    /// Copies the file that shows how the manifest was when the run started.
    package func copySources(from folder: String) throws(ResultsError) {
        let source = "\(folder)/\(FolderContents.sources)"
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FolderContents.file(FolderContents.sources, in: folder).read(limit: 256 << 20)
        } catch {
            let isOutside = error.reason == .outside(hint: nil)
            throw ResultsError(
                "cannot read '\(source)': \(isOutside ? "a symbolic link leads out of the folder" : error.message)"
            )
        }
        try OutputFile.replaceDurably([("\(path)/\(FolderContents.sources)", bytes)])
    }

    /// A sharded step and the events with which it ends.
    package struct Step: Sendable {
        /// The path of the step.
        package var path: String
        /// The number of elements of all shards; `nil` if the step was skipped.
        package var elements: Int?
        /// The events with which it ends: the file that it wrote, if any, and its result.
        package var end: [RunEvent.Kind]

        /// Creates a step; see the properties.
        package init(path: String, elements: Int?, end: [RunEvent.Kind]) {
            (self.path, self.elements, self.end) = (path, elements, end)
        }
    }

    /// Writes the journal, and waits until everything is on the disk.
    ///
    /// - Parameters:
    ///   - steps: The sharded steps, in the order of the plan.
    ///   - shards: The folders of the shards, in order.
    ///   - time: When the last shard finished.
    package func writeJournal(_ steps: [Step], of shards: [String], at time: Timestamp) throws(ResultsError) {
        sync()
        var lines = MergedLines(steps: Set(steps.map(\.path)))
        for (index, step) in steps.enumerated() {
            for (shard, folder) in shards.enumerated() {
                var reader = JournalReader("\(folder)/\(FolderContents.journal)")
                try reader.read { event in
                    guard let event = lines.merged(event, of: step, isFirstStep: index == 0, isFirstShard: shard == 0)
                    else {
                        return
                    }
                    lines.add(event)
                    if lines.isFull { lines.write(to: journal) }
                }
                if let error = lines.error { throw error }
            }
            for kind in step.end where step.elements != nil { lines.add(kind, step: step.path, at: time) }
        }
        lines.write(to: journal)
        if let error = lines.error { throw error }
        try journal.sync()
        let path = "\(path)/\(FolderContents.journal)"
        try OutputFile.move("\(self.path)/\(FolderContents.mergedJournal)", to: path)
        OutputFile.syncFolder(of: path)
        claim.unlock()
    }
}

/// The lines of the journal of a merged run.
private struct MergedLines {
    let steps: Set<String>
    private(set) var error: ResultsError?
    private(set) var bytes: [UInt8] = []
    private(set) var number = 0
    private(set) var hasStarted = false
    /// Whether the shard has copied the current events from the run of the steps before.
    private(set) var isCopied = false
    private(set) var startedGraphs: Set<String> = []

    var isFull: Bool { bytes.count >= 1 << 20 }

    /// Returns an event of a shard as the merged run has it; `nil` if it is left out.
    mutating func merged(_ event: JSON, of step: MergedRun.Step, isFirstStep: Bool, isFirstShard: Bool) -> JSON? {
        let type = event["type"]?.string ?? ""
        let path = event["step"]?.string
        let sharded = path.flatMap { path in
            steps.contains(path) ? path : path.lastIndex(of: "[") == nil ? nil : outerStep(of: path)
        }
        guard let sharded else {
            // The rest of the run is that of the first shard. Warnings and sessions of the others are events of their
            // own.
            guard isFirstStep else { return nil }
            return own(event, type, path, isFirstShard: isFirstShard)
        }
        guard sharded == step.path else { return nil }
        guard path == sharded else { return withoutRecords(event) }
        switch type {
        case "step.started": return isFirstShard ? event : nil
        case "elements.started":
            guard isFirstShard, var object = event.object else { return nil }
            for name in ["first", "total", "list"] { _ = object.removeValue(named: name) }
            object["elements"] = step.elements.map { .number(JSONNumber($0)) }
            return .object(object)
        case "step.finished", "write.sharded", "write.cut": return nil
        case "step.skipped": return isFirstShard ? event : nil
        default: return withoutRecords(event)
        }
    }

    /// Returns the sharded step that contains a step or an element at a path.
    private func outerStep(of path: String) -> String? {
        path.indices.lazy.filter { path[$0] == "[" }.map { String(path[..<$0]) }.first { steps.contains($0) }
    }

    /// Returns an event outside the sharded steps.
    private mutating func own(_ event: JSON, _ type: String, _ path: String?, isFirstShard: Bool) -> JSON? {
        switch type {
        case "run.started":
            isCopied = event["part"]?["phase"] != nil
            defer { hasStarted = true }
            guard !hasStarted, var object = event.object else { return nil }
            _ = object.removeValue(named: "part")
            return .object(object)
        case "graph.started" where path == nil:
            guard startedGraphs.insert(event["graph"]?.string ?? "").inserted else { return nil }
            return event
        case "graph.finished" where path == nil: return nil
        case "run.finished", "run.paused", "run.unpaused": return nil
        default:
            return isFirstShard || !isCopied && path?.hasPrefix("session.") ?? true ? event : nil
        }
    }

    /// Returns an event without the position of its records in the file of its shard.
    private func withoutRecords(_ event: JSON) -> JSON {
        guard var object = event.object, object["offset"] != nil || object["held"] != nil || object["heldBytes"] != nil
        else { return event }
        for name in ["offset", "crc32", "held", "heldBytes", "records", "aggregates"] {
            _ = object.removeValue(named: name)
        }
        return .object(object)
    }

    mutating func add(_ event: JSON) {
        guard let object = event.object else { return }
        number += 1
        bytes += JSONStream.journalLine(object, number: number)
    }

    mutating func add(_ kind: RunEvent.Kind, step: String, at time: Timestamp) {
        number += 1
        let event = RunEvent(seq: number, at: time, step: step, kind: kind)
        bytes += JSONStream.journalLine(event.jsonText())
    }

    mutating func write(to file: borrowing OutputFile) {
        guard error == nil else { return }
        do throws(ResultsError) {
            try file.write(bytes)
            bytes.removeAll(keepingCapacity: true)
        } catch {
            self.error = error
        }
    }
}
