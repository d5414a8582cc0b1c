import Synchronization
package import WaybillFormats
import WaybillJSON
import WaybillPlatform
package import WaybillRuntime

/// A file of records that appears atomically: it is written as `FILE.part`. When it is complete, it is moved to its
/// path, compressed, or loaded into a table, depending on its container.
///
/// Records belong to elements, numbered from 0, and are written in the order of the numbers. Records that arrive before
/// their turn wait in memory. When a call returns, everything that it appended has been handed to the system.
package final class RecordFileWriter: Sendable {
    /// The content of a complete file.
    package struct Committed: Sendable, Equatable {
        /// The records in the file.
        package var records: RecordTally
        /// The size of the file in bytes.
        package var bytes: Int
        /// Its CRC-32; `nil` if it does not consist of the records as they were written, such as a compressed file.
        package var checksum: UInt32?
    }

    /// The number of bytes that are buffered before they are handed to the system, within one call.
    private static let bufferBytes = 64 * 1024
    /// The number of bytes that may wait for their turn before no more elements should start.
    fileprivate static let roomBytes = 16 << 20
    /// The work for a record, in the units of `WorkLimit.Check`.
    private static let unitsPerRecord = 64

    /// Records that wait for their turn, as bytes of the file.
    struct Waiting {
        var bytes: [UInt8] = []
        var records: RecordTally = 0
        /// How many pages they are, if the element had not finished when the run was resumed.
        var pages = 0
    }

    fileprivate struct State {
        var writer: any RecordWriter
        var buffer: [UInt8] = []
        /// The number of bytes handed to the system.
        var bytes = 0
        /// The checksum of these bytes, and of the first `summed` bytes of the buffer.
        var checksum = CRC32()
        var summed = 0
        var records: RecordTally = 0
        var isUsed = false
        /// Whether the system has bytes that may not be on the disk yet.
        var isSyncDue = false
        /// The element whose records are written to the file.
        var turn = 0
        /// Where the records of that element start.
        var mark = Resumption.Mark.start
        var waiting: [Int: Waiting] = [:]
        var waitingBytes = 0
        /// The later elements that have finished.
        var ended: Set<Int> = []
        /// The first element that must run again before the file can be complete. The file ends before it; the records
        /// after it are only in the journal.
        var missing: Int?
        var error: ResultsError?
        /// The elements that wait for space.
        var waiters: [Int: Awaited<Void>] = [:]
    }

    /// The final path of the file.
    package let path: String
    /// What was lost of the file before it was continued; `nil` if it is intact.
    package let loss: Loss?
    /// How many pages of each element that had not finished the file was continued with.
    package let continuedPages: [Int: Int]

    private let container: RecordContainer
    private let part: String
    private let file: OutputFile
    private let thread: FileThread
    private let disk: Disk
    private let onFailure: @Sendable (ResultsError) -> Void
    private let state: Mutex<State>

    /// Creates a new file, and removes an unfinished earlier one; or continues a file, truncated to its valid part: to
    /// where its journal ends, or before that if the file does not have the recorded bytes.
    ///
    /// - Parameters:
    ///   - run: The run that writes the file, if other runs may write to the same path; see `RecordContainer.part`.
    ///   - resumption: Where the file is continued; `nil` for a new file.
    ///   - onFailure: Receives the first error in writing the file.
    init(
        _ path: String,
        _ writer: any RecordWriter,
        in container: RecordContainer = .file,
        ownedBy run: RunID? = nil,
        from resumption: Resumption? = nil,
        thread: FileThread,
        disk: Disk = .real,
        onFailure: @escaping @Sendable (ResultsError) -> Void = { _ in }
    ) throws(ResultsError) {
        self.path = path
        self.container = container
        self.thread = thread
        self.disk = disk
        self.onFailure = onFailure
        part = container.part(of: path, ownedBy: run)
        guard var resumption else {
            (loss, continuedPages) = (nil, [:])
            try Self.removeEarlier(part, isShared: run != nil)
            file = try OutputFile(part, .new, disk: disk)
            try file.lockForRecords()
            file.adoptPermissions(of: path)
            state = Mutex(State(writer: writer))
            return
        }
        let earlier = try OutputFile(part, .any, disk: disk)
        try earlier.lockForRecords()
        let rest = try resumption.lastMark(intactIn: part)
        if rest.bytes < resumption.endOfPages?.bytes ?? resumption.bytes {
            let end = resumption.element
            resumption.goBack(to: rest)
            loss = Loss(rest: rest, elements: resumption.element..<end)
        } else {
            loss = nil
        }
        continuedPages = resumption.pageCounts
        file = try earlier.continued(at: rest.bytes)
        try file.lockForRecords()
        var state = State(writer: writer)
        state.writer.resume(after: try file.head(min(rest.bytes, 1 << 20)))
        state.bytes = rest.bytes
        state.checksum = CRC32(value: rest.checksum ?? 0)
        state.records = rest.records
        state.isSyncDue = true
        state.turn = resumption.element
        state.ended = resumption.ended
        state.waiting = resumption.held
        // The file may contain pages of the first element at its start, and of the current one at its end.
        if resumption.endOfPages != nil {
            state.isUsed = true
            state.mark = resumption.marks.last ?? .start
            state.waiting[resumption.element] = nil
        } else if resumption.element > 0 {
            state.mark = rest
        }
        state.waitingBytes = state.waiting.values.reduce(0) { $0 + $1.bytes.count }
        self.state = Mutex(state)
        _ = try change { (state) throws(ResultsError) in try self.releaseEnded(&state) }
    }

    /// - Parameter isShared: Whether the same run in a copy of its folder may write the file at the same time.
    private static func removeEarlier(_ part: String, isShared: Bool) throws(ResultsError) {
        guard isShared, FolderContents.status(of: part)?.kind == .file else {
            return try OutputFile.removeEarlier(part)
        }
        let earlier = try OutputFile(part, .any)
        try earlier.lockForRecords()
        try OutputFile.removeEarlier(part)
        earlier.unlock()
    }

    /// Makes the first of some elements the first of the file, unless the file already has records of this or a later one.
    package func start(with elements: Range<Int>) {
        _ = try? change { (state) throws(ResultsError) in
            // The file of an empty list is empty.
            if elements.isEmpty { state.isUsed = true }
            guard state.turn < elements.lowerBound else { return }
            state.turn = elements.lowerBound
            try self.releaseEnded(&state)
        }
    }

    /// The first error, if any. After an error, nothing more is written.
    package var error: ResultsError? { state.withLock { $0.error } }

    /// Whether so little is waiting for its turn that more elements may start.
    package var hasRoom: Bool { state.withLock { $0.waitingBytes < Self.roomBytes } }

    /// Whether `append` was called, perhaps without any record, or there are records from before the file was continued.
    package var isUsed: Bool { state.withLock { $0.isUsed || $0.records.count > 0 } }

    /// Removes the file, and leaves an earlier one at its path.
    package func discard() { unlink(part) }

    /// Waits until an element may add more: until it is its turn, until little enough is waiting, until nothing can be
    /// written any more, or until the task is cancelled.
    package func room(for element: Int) async {
        let waiter = state.withLock { state -> Awaited<Void>? in
            guard !state.hasRoom(for: element) else { return nil }
            let waiter = Awaited<Void>()
            state.waiters[element] = waiter
            return waiter
        }
        await waiter?.value {
            state.withLock { $0.waiters[element] = nil }
            waiter?.set(())
        }
    }

    /// Adds records of an element, with their aggregates.
    ///
    /// - Returns: What the journal must record about these records.
    /// - Throws: The error in writing the file, from this or an earlier call. Once `WorkLimit` is reached, none of the
    ///   records is added, and the error is not one of the file.
    @discardableResult
    package func append(
        _ records: some Sequence<RedactedJSON>,
        aggregates: [RecordAggregate] = [],
        of element: Int = 0
    ) throws(ResultsError) -> RecordedOutput {
        try change { (state) throws(ResultsError) in
            state.isUsed = true
            // An element that runs again after its records were written adds nothing.
            guard element >= state.turn else { return .held([], records: 0) }
            guard element == state.turn else { return try hold(records, aggregates, of: element, in: &state) }
            let (writer, start, isSyncDue) = (state.writer, state.end, state.isSyncDue)
            func stop(_ state: inout State) throws(ResultsError) {
                try cut(&state, to: start)
                (state.writer, state.isSyncDue) = (writer, isSyncDue)
                throw .stopped(path)
            }
            var limit = WorkLimit.Check()
            for record in records {
                if limit.isReached(before: Self.unitsPerRecord) { try stop(&state) }
                do throws(UnwritableRecord) {
                    try state.writer.append(record.value, isFirst: state.records.count == 0, to: &state.buffer)
                } catch {
                    throw .lost(error, in: path)
                }
                state.records.count += 1
                if state.buffer.count >= Self.bufferBytes { try write(&state) }
            }
            // The last record may be incomplete.
            if WorkLimit.isDeadlinePassed { try stop(&state) }
            state.records += RecordTally(0, aggregates)
            try write(&state)
            return state.output
        }
    }

    /// Removes all records of an element that has not finished.
    package func removeRecords(_ element: Int = 0) throws(ResultsError) {
        try change { (state) throws(ResultsError) in
            Self.forget(element, in: &state)
            guard element == state.turn else { return }
            try cut(&state)
            state.isUsed = state.isUsed && (element > 0 || !state.ended.isEmpty || !state.waiting.isEmpty)
        }
    }

    /// How an element finished.
    package enum End: Sendable {
        /// Its records are kept.
        case kept
        /// It has no records, and the file is complete without it.
        case without
        /// It has no records, and the file is incomplete until it has run again.
        case missing
    }

    /// Finishes an element; unless its records are kept, they are removed.
    ///
    /// - Returns: What the journal must record about all records of the element.
    package func end(_ element: Int, _ end: End) throws(ResultsError) -> RecordedOutput {
        try change { (state) throws(ResultsError) in
            guard element >= state.turn else { return .held([], records: 0) }
            if end != .kept {
                Self.forget(element, in: &state)
                // A resumed run continues after the pages of one that has not finished, if it can.
                if element == state.turn, end == .without { try cut(&state) }
            }
            if end == .missing {
                state.missing = min(state.missing ?? element, element)
                return .held([], records: 0)
            }
            guard element == state.turn else {
                let waiting = state.waiting[element] ?? Waiting()
                if let missing = state.missing, element > missing {
                    // None of its records are written to the file in this run.
                    Self.forget(element, in: &state)
                } else {
                    state.ended.insert(element)
                }
                return .held(waiting.bytes, records: waiting.records)
            }
            let end = state.output
            try advance(&state)
            return end
        }
    }

    /// Waits until everything appended is on the disk, if anything is new. If that fails, nothing more is written. May
    /// take long.
    func sync() {
        let isDue = state.withLock { state in
            defer { state.isSyncDue = false }
            return state.isSyncDue && state.error == nil
        }
        guard isDue else { return }
        do throws(ResultsError) {
            try file.sync()
        } catch {
            let failure = named(error)
            _ = try? change { (_) throws(ResultsError) in throw failure }
        }
    }

    /// Adds records as a writer holds them, after all others.
    ///
    /// - Parameter held: Some of the records, in pieces that end with a record or, if the records have no ends, anywhere.
    package func append(held: [UInt8]) throws(ResultsError) {
        try change { (state) throws(ResultsError) in
            let isFirst = state.bytes == 0 && state.buffer.isEmpty
            try release(held, isFirst: isFirst, &state)
            try write(&state)
        }
    }

    /// Adds the number of records, and their aggregates, that `append(held:)` has added.
    package func count(_ records: RecordTally) throws(ResultsError) {
        try change { (state) throws(ResultsError) in state.records += records }
    }

    /// Hands all records to the system, without completing the file.
    ///
    /// - Returns: The end of the unfinished file.
    package func complete() throws(ResultsError) -> Resumption.Mark {
        try change { (state) throws(ResultsError) -> Resumption.Mark in
            try write(&state)
            state.isSyncDue = true
            return state.end
        }
    }

    /// Completes the file and moves it to its destination, where it is on the disk when this returns; or, if there are
    /// several files and tables, all of them or none.
    ///
    /// - Parameters:
    ///   - isStopped: Whether to stop compressing the file, or waiting for a lock of another process. Asked on another
    ///     thread.
    ///   - isCancelled: Whether to stop loading records into a table. Asked on another thread.
    ///   - notice: Reports that a lock of another process is waited for.
    ///   - mustSucceed: Whether an earlier process may have replaced some of the files, so that any error fails the run.
    ///   - check: Called when all records are known, with the content of each file.
    ///   - announce: Called with the same and the end of the unfinished file, when nothing remains but to move the files.
    /// - Returns: The content of each file.
    package func commit(
        until isStopped: @escaping @Sendable () -> Bool,
        orUntil isCancelled: @escaping @Sendable () -> Bool,
        notice: LockNotice? = nil,
        mustSucceed: Bool = false,
        check: ([Committed]) async throws(ResultsError) -> Void,
        announce: ([Committed], Resumption.Mark) async throws(ResultsError) -> Void
    ) async throws(ResultsError) -> [Committed] {
        let end = try finish()
        let thread = try container.thread(or: thread)
        let commit = RecordCommit(of: container, at: path, from: part)
        do throws(ResultsError) {
            let contents = try await thread.run { () throws(ResultsError) in
                try self.file.sync()
                var contents = try self.split(end, until: isStopped)
                for (index, size) in try commit.prepare(until: isStopped).enumerated() { contents[index].bytes = size }
                return contents
            }
            try await check(contents)
            if commit.mustLoad {
                try await thread.run { () throws(ResultsError) in
                    try commit.load(until: isStopped, orUntil: isCancelled, notice: notice)
                }
            }
            try await announce(contents, end)
            let sizes = try await thread.run { () throws(ResultsError) in try commit.complete(orUntil: isCancelled) }
            return zip(contents, sizes).map { Committed(records: $0.records, bytes: $1, checksum: $0.checksum) }
        } catch {
            commit.discard()
            // Other errors are about the records, the table or the path, and fail only the step.
            guard error.kind == .disk || mustSucceed else { throw error }
            onFailure(error)
            throw error.endingRun
        }
    }

    /// Ends the file, without waiting for the disk.
    private func finish() throws(ResultsError) -> Resumption.Mark {
        try change { (state) throws(ResultsError) -> Resumption.Mark in
            state.buffer += state.writer.end(hasRecords: state.records.count > 0)
            try write(&state)
            state.isSyncDue = false
            return state.end
        }
    }

    /// Writes the records of several targets to an unfinished file for each.
    ///
    /// - Parameter end: The end of the unfinished file that has the records of all.
    /// - Returns: The content of each target.
    private func split(
        _ end: Resumption.Mark,
        until isStopped: () -> Bool
    ) throws(ResultsError) -> [Committed] {
        guard case .several(let targets) = container else { return [content(upTo: end)] }
        var writers: [RecordFileWriter] = []
        for (target, records) in zip(targets, JoinedRecords.tallies(of: end.records, targets)) {
            let writer = try RecordFileWriter(
                target.path,
                target.writer,
                in: target.container,
                ownedBy: target.owner,
                thread: thread,
                disk: disk,
                onFailure: onFailure
            )
            try writer.count(records)
            writers.append(writer)
        }
        try JoinedRecords.split(part, into: writers, until: isStopped)
        var contents: [Committed] = []
        for writer in writers {
            contents.append(writer.content(upTo: try writer.finish()))
            try writer.file.sync()
        }
        return contents
    }

    private func content(upTo end: Resumption.Mark) -> Committed {
        let checksum = if case .file = container { end.checksum } else { nil as UInt32? }
        return Committed(records: end.records, bytes: end.bytes, checksum: checksum)
    }

    // MARK: The file

    private func change<Value: Sendable>(
        _ body: (inout State) throws(ResultsError) -> Value
    ) throws(ResultsError) -> Value {
        // A closure that is passed to a lock cannot have typed errors.
        let (result, waiters) = state.withLock { state in
            (change(&state, body), state.takeWaiters())
        }
        for waiter in waiters { waiter.set(()) }
        return try result.get()
    }

    private func change<Value: Sendable>(
        _ state: inout State,
        _ body: (inout State) throws(ResultsError) -> Value
    ) -> Result<Value, ResultsError> {
        if let error = state.error { return .failure(error) }
        do throws(ResultsError) {
            return .success(try body(&state))
        } catch {
            if error.wasStopped { return .failure(error) }
            // A record that does not fit the file fails only the step.
            let failure = error.kind == .record ? error : error.endingRun
            state.error = failure
            if failure.kind == .disk { onFailure(error) }
            // A full disk may have had space for a part of the data.
            try? file.cut(to: state.bytes)
            state.buffer = []
            return .failure(failure)
        }
    }

    private func write(_ state: inout State) throws(ResultsError) {
        guard !state.buffer.isEmpty else { return }
        do throws(ResultsError) {
            try file.write(state.buffer)
        } catch {
            throw named(error)
        }
        state.sum()
        state.bytes += state.buffer.count
        state.summed = 0
        state.isSyncDue = true
        state.buffer.removeAll(keepingCapacity: state.buffer.capacity <= 2 * Self.bufferBytes)
    }

    /// Replaces the temporary path in an error with the file's own path, the only one that users know.
    private func named(_ error: ResultsError) -> ResultsError {
        ResultsError(error.description.replacing(part, with: path))
    }

    /// Truncates the file to the start of the current element's records.
    private func cut(_ state: inout State) throws(ResultsError) {
        if state.bytes > state.mark.bytes { try cut(&state, to: state.mark) }
    }

    /// Truncates the file to a position before the buffer.
    private func cut(_ state: inout State, to mark: Resumption.Mark) throws(ResultsError) {
        try file.cut(to: mark.bytes)
        (state.bytes, state.records) = (mark.bytes, mark.records)
        state.checksum = CRC32(value: mark.checksum ?? 0)
        (state.buffer, state.summed) = ([], 0)
    }

    // MARK: Turns

    private func hold(
        _ records: some Sequence<RedactedJSON>,
        _ aggregates: [RecordAggregate],
        of element: Int,
        in state: inout State
    ) throws(ResultsError) -> RecordedOutput {
        var new: [UInt8] = []
        var tally = RecordTally(0, aggregates)
        var limit = WorkLimit.Check()
        for record in records {
            if limit.isReached(before: Self.unitsPerRecord) { throw .stopped(path) }
            do throws(UnwritableRecord) {
                try state.writer.hold(record.value, in: &new)
            } catch {
                throw .lost(error, in: path)
            }
            tally.count += 1
        }
        // The last record may be incomplete.
        if WorkLimit.isDeadlinePassed { throw .stopped(path) }
        state.waiting[element, default: Waiting()].bytes += new
        state.waiting[element, default: Waiting()].records += tally
        state.waitingBytes += new.count
        return .held(new, records: tally)
    }

    private static func forget(_ element: Int, in state: inout State) {
        guard let waiting = state.waiting.removeValue(forKey: element) else { return }
        state.waitingBytes -= waiting.bytes.count
    }

    /// Passes the turn to the next unfinished element, and writes everything that waited up to there.
    private func advance(_ state: inout State) throws(ResultsError) {
        state.ended.insert(state.turn)
        try releaseEnded(&state)
    }

    /// Passes the turn over all finished elements.
    private func releaseEnded(_ state: inout State) throws(ResultsError) {
        if let first = state.waiting.removeValue(forKey: state.turn) { try release(first, &state) }
        while state.ended.remove(state.turn) != nil {
            state.turn += 1
            state.sum()
            state.mark = state.end
            if let waiting = state.waiting.removeValue(forKey: state.turn) { try release(waiting, &state) }
        }
        try write(&state)
    }

    private func release(_ waiting: Waiting, _ state: inout State) throws(ResultsError) {
        guard waiting.records.count > 0 else { return }
        state.waitingBytes -= waiting.bytes.count
        try release(waiting.bytes, isFirst: state.records.count == 0, &state)
        state.records += waiting.records
        if state.buffer.count >= Self.bufferBytes { try write(&state) }
    }

    private func release(_ held: [UInt8], isFirst: Bool, _ state: inout State) throws(ResultsError) {
        do throws(UnwritableRecord) {
            try state.writer.release(held, isFirst: isFirst, to: &state.buffer)
        } catch {
            throw .lost(error, in: path)
        }
    }
}

extension RecordFileWriter.State {
    /// The end of the file, including the buffer.
    fileprivate var end: RecordFileWriter.Resumption.Mark {
        .init(bytes: bytes + buffer.count, records: records, count: turn, checksum: checksum.value)
    }

    /// What the journal records about the end of the file, if the buffer is empty.
    fileprivate var output: RecordedOutput { .written(upTo: bytes, checksum: checksum.value, records: records) }

    /// Adds the buffer to the checksum.
    fileprivate mutating func sum() {
        checksum.add(buffer[summed...])
        summed = buffer.count
    }

    fileprivate func hasRoom(for element: Int) -> Bool {
        error != nil || element <= turn || waitingBytes < RecordFileWriter.roomBytes
    }

    /// Returns the elements that no longer need to wait, and removes them.
    fileprivate mutating func takeWaiters() -> [Awaited<Void>] {
        guard !waiters.isEmpty else { return [] }
        let elements = waiters.keys.filter(hasRoom)
        return elements.compactMap { waiters.removeValue(forKey: $0) }
    }
}

extension OutputFile {
    /// Locks an unfinished file of records. A copy of the run's folder leads to the same file if that is elsewhere, and
    /// only one of the two runs can continue it.
    fileprivate borrowing func lockForRecords() throws(ResultsError) {
        guard lock() else { throw ResultsError("cannot write to '\(path)': another process is writing to it") }
    }
}
