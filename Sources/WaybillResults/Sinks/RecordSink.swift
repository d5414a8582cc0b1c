import Synchronization
package import WaybillFormats
import WaybillRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file of records that appears whole or not at all: it is written beside its place, as `FILE.part`. When it is complete, it
/// is moved to its path, compressed, or loaded into a table, as its container says.
///
/// Records belong to elements, numbered from 0; those of a lower number stand first. What comes before its turn waits in
/// memory. Everything that a call appends has been handed to the system when the call returns.
package final class RecordSink: Sendable {
    /// What has come of a file.
    package struct Committed: Sendable, Equatable {
        /// The records in it.
        package var records: RecordTally
        /// Its bytes.
        package var bytes: Int
    }

    /// Bytes are gathered up to this many before they are handed to the system, within one call.
    private static let bufferBytes = 64 * 1024
    /// How many bytes may wait for their turn before no more elements should begin.
    fileprivate static let roomBytes = 16 << 20

    /// Records whose turn has not come, as bytes of the file.
    struct Waiting {
        var bytes: [UInt8] = []
        var records: RecordTally = 0
    }

    fileprivate struct State {
        var writer: any RecordWriter
        var buffer: [UInt8] = []
        /// How many bytes the system has.
        var bytes = 0
        var records: RecordTally = 0
        /// Whether the system has bytes that may not be on the disk.
        var isSyncDue = false
        /// The element whose records go to the file.
        var turn = 0
        /// Where its records begin.
        var mark = Committed(records: 0, bytes: 0)
        var waiting: [Int: Waiting] = [:]
        var waitingBytes = 0
        /// Elements behind the one whose turn it is that have ended.
        var ended: Set<Int> = []
        /// The first element that has to run again before the file can be complete: the file ends before it, and what
        /// comes behind is in the journal only.
        var missing: Int?
        var error: ResultsError?
        /// Elements that wait for room.
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    /// The path that the file will have.
    package let path: String
    /// What was lost of the file before it was gone on with; `nil` where it is all there.
    package let loss: Loss?

    private let container: RecordContainer
    private let part: String
    private let file: OutputFile
    private let thread: FileThread
    private let onFailure: @Sendable (ResultsError) -> Void
    private let state: Mutex<State>

    /// A new file; what an unfinished earlier one left is taken away.
    ///
    /// - Parameter onFailure: Receives what goes wrong first when the file is written.
    init(
        _ path: String,
        _ writer: any RecordWriter,
        in container: RecordContainer = .file,
        thread: FileThread,
        disk: Disk = .real,
        onFailure: @escaping @Sendable (ResultsError) -> Void = { _ in }
    ) throws(ResultsError) {
        self.path = path
        self.container = container
        self.thread = thread
        self.onFailure = onFailure
        part = container.part(of: path)
        loss = nil
        if unlink(part) != 0, errno != ENOENT { throw ResultsError(cannot: "replace", part) }
        file = try OutputFile(part, .new, disk: disk)
        state = Mutex(State(writer: writer))
    }

    /// A file that was begun before, cut to where it is good: where its journal says, or before that if it is shorter.
    init(
        _ path: String,
        _ writer: any RecordWriter,
        in container: RecordContainer = .file,
        from place: Resumption,
        thread: FileThread,
        disk: Disk = .real,
        onFailure: @escaping @Sendable (ResultsError) -> Void = { _ in }
    ) throws(ResultsError) {
        self.path = path
        self.container = container
        self.thread = thread
        self.onFailure = onFailure
        part = container.part(of: path)
        file = try OutputFile(part, .any, disk: disk)
        var place = place
        let size = try file.size()
        if size < place.bytes {
            let rest = place.lastMark(within: size)
            let end = place.element
            place.goBack(to: rest)
            loss = Loss(rest: rest, elements: place.element..<end)
        } else {
            loss = nil
        }
        try file.cut(to: place.bytes)
        var state = State(writer: writer)
        state.writer.resume(after: try file.head(min(place.bytes, 1 << 20)))
        state.bytes = place.bytes
        state.records = place.records
        state.isSyncDue = true
        state.turn = place.element
        // What there is of the first element are pages, with which it begins.
        if place.element > 0 { state.mark = Committed(records: place.records, bytes: place.bytes) }
        state.ended = place.ended
        state.waiting = place.held
        state.waitingBytes = place.held.values.reduce(0) { $0 + $1.bytes.count }
        self.state = Mutex(state)
        _ = try change { (state) throws(ResultsError) in try self.releaseEnded(&state) }
    }

    /// What went wrong first, if anything did. From then on nothing is written any more.
    package var error: ResultsError? { state.withLock { $0.error } }

    /// Whether little enough waits for its turn that more elements may begin.
    package var hasRoom: Bool { state.withLock { $0.waitingBytes < Self.roomBytes } }

    /// Waits until an element may add more: until it is its turn, or little enough waits for its turn, or nothing can be
    /// written any more, or the task is cancelled.
    package func room(for element: Int) async {
        guard !state.withLock({ $0.hasRoom(for: element) }) else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if Task.isCancelled || state.hasRoom(for: element) { return true }
                    state.waiters[element] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: element) }?.resume()
        }
    }

    /// Adds records of an element, with the aggregates over them.
    ///
    /// - Returns: what the journal has to note of these records.
    /// - Throws: what went wrong with the file, now or before.
    @discardableResult
    package func append(
        _ records: some Sequence<RedactedJSON>,
        aggregates: [RecordAggregate] = [],
        of element: Int = 0
    ) throws(ResultsError) -> RecordedOutput {
        try change { (state) throws(ResultsError) in
            // An element that runs again after its records came into the file adds nothing.
            guard element >= state.turn else { return .held([], records: 0) }
            guard element == state.turn else { return Self.hold(records, aggregates, of: element, in: &state) }
            for record in records {
                state.writer.append(record.value, isFirst: state.records.count == 0, to: &state.buffer)
                state.records.count += 1
                if state.buffer.count >= Self.bufferBytes { try write(&state) }
            }
            state.records += RecordTally(0, aggregates)
            try write(&state)
            return .written(upTo: state.bytes, records: state.records)
        }
    }

    /// Takes back all records of an element that has not ended.
    package func takeBack(_ element: Int = 0) throws(ResultsError) {
        try change { (state) throws(ResultsError) in
            Self.forget(element, in: &state)
            if element == state.turn { try cut(&state) }
        }
    }

    /// How an element has ended.
    package enum End: Sendable {
        /// Its records stay.
        case kept
        /// It has none, and the file is complete without it.
        case without
        /// It has none, and the file is not complete before it has run again.
        case missing
    }

    /// An element has ended; unless they are kept, its records are taken back.
    ///
    /// - Returns: what the journal has to note of all records of the element.
    package func end(_ element: Int, _ end: End) throws(ResultsError) -> RecordedOutput {
        try change { (state) throws(ResultsError) in
            guard element >= state.turn else { return .held([], records: 0) }
            if end != .kept {
                Self.forget(element, in: &state)
                if element == state.turn { try cut(&state) }
            }
            if end == .missing {
                state.missing = min(state.missing ?? element, element)
                return .held([], records: 0)
            }
            guard element == state.turn else {
                let waiting = state.waiting[element] ?? Waiting()
                if let missing = state.missing, element > missing {
                    // Nothing of it comes into the file in this run.
                    Self.forget(element, in: &state)
                } else {
                    state.ended.insert(element)
                }
                return .held(waiting.bytes, records: waiting.records)
            }
            let end = RecordedOutput.written(upTo: state.bytes, records: state.records)
            try advance(&state)
            return end
        }
    }

    /// What could not be written as it is; told once.
    package func takeWarning() -> String? {
        state.withLock { $0.writer.takeWarning() }
    }

    /// Waits until what was appended is on the disk, if anything is new; where that fails, nothing is written any more.
    /// May take long.
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

    /// Ends the file and puts it in its place, where it then is on the disk.
    ///
    /// - Parameter announce: Is called when the file is complete, before it is put in its place.
    package func commit(
        announce: (Committed) async throws(ResultsError) -> Void = { (_) throws(ResultsError) in }
    ) async throws(ResultsError) -> Committed {
        var committed = try change { (state) throws(ResultsError) -> Committed in
            state.buffer += state.writer.end(hasRecords: state.records.count > 0)
            try write(&state)
            state.isSyncDue = false
            return Committed(records: state.records, bytes: state.bytes)
        }
        let thread = try container.thread(or: thread)
        committed.bytes = try await thread.run { () throws(ResultsError) in
            try self.file.sync()
            return try self.container.prepare(self.path)
        }
        try await announce(committed)
        committed.bytes = try await thread.run { () throws(ResultsError) in try self.container.complete(self.path) }
        return committed
    }

    // MARK: The file

    private func change<Value: Sendable>(
        _ body: (inout State) throws(ResultsError) -> Value
    ) throws(ResultsError) -> Value {
        // The closure of a lock has errors of any type.
        let (result, waiters) = state.withLock { state in
            (change(&state, body), state.takeWaiters())
        }
        for waiter in waiters { waiter.resume() }
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
            state.error = error
            onFailure(error)
            // A disk that is full may have had room for a part of it.
            try? file.cut(to: state.bytes)
            state.buffer = []
            return .failure(error)
        }
    }

    private func write(_ state: inout State) throws(ResultsError) {
        guard !state.buffer.isEmpty else { return }
        do throws(ResultsError) {
            try file.write(state.buffer)
        } catch {
            throw named(error)
        }
        state.bytes += state.buffer.count
        state.isSyncDue = true
        state.buffer.removeAll(keepingCapacity: state.buffer.capacity <= 2 * Self.bufferBytes)
    }

    /// The user knows the file by its own name.
    private func named(_ error: ResultsError) -> ResultsError {
        ResultsError(path: path, error.description.replacing(part, with: path))
    }

    /// Cuts the file to where the records of the element begin whose turn it is.
    private func cut(_ state: inout State) throws(ResultsError) {
        guard state.bytes > state.mark.bytes else { return }
        try file.cut(to: state.mark.bytes)
        (state.bytes, state.records) = (state.mark.bytes, state.mark.records)
    }

    // MARK: Turns

    private static func hold(
        _ records: some Sequence<RedactedJSON>,
        _ aggregates: [RecordAggregate],
        of element: Int,
        in state: inout State
    ) -> RecordedOutput {
        var new: [UInt8] = []
        var tally = RecordTally(0, aggregates)
        for record in records {
            state.writer.hold(record.value, in: &new)
            tally.count += 1
        }
        state.waiting[element, default: Waiting()].bytes += new
        state.waiting[element, default: Waiting()].records += tally
        state.waitingBytes += new.count
        return .held(new, records: tally)
    }

    private static func forget(_ element: Int, in state: inout State) {
        guard let waiting = state.waiting.removeValue(forKey: element) else { return }
        state.waitingBytes -= waiting.bytes.count
    }

    /// Gives the turn to the next element that has not ended, and writes what waited up to there.
    private func advance(_ state: inout State) throws(ResultsError) {
        state.ended.insert(state.turn)
        try releaseEnded(&state)
    }

    /// Passes the turn over all elements that have ended.
    private func releaseEnded(_ state: inout State) throws(ResultsError) {
        if let first = state.waiting.removeValue(forKey: state.turn) { try release(first, &state) }
        while state.ended.remove(state.turn) != nil {
            state.turn += 1
            state.mark = Committed(records: state.records, bytes: state.bytes + state.buffer.count)
            if let waiting = state.waiting.removeValue(forKey: state.turn) { try release(waiting, &state) }
        }
        try write(&state)
    }

    private func release(_ waiting: Waiting, _ state: inout State) throws(ResultsError) {
        guard waiting.records.count > 0 else { return }
        state.waitingBytes -= waiting.bytes.count
        state.writer.release(waiting.bytes, isFirst: state.records.count == 0, to: &state.buffer)
        state.records += waiting.records
        if state.buffer.count >= Self.bufferBytes { try write(&state) }
    }
}

extension RecordSink.State {
    fileprivate func hasRoom(for element: Int) -> Bool {
        error != nil || element <= turn || waitingBytes < RecordSink.roomBytes
    }

    /// Those who need not wait any longer.
    fileprivate mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        guard !waiters.isEmpty else { return [] }
        let elements = waiters.keys.filter(hasRoom)
        return elements.compactMap { waiters.removeValue(forKey: $0) }
    }
}
