import Synchronization
import WaybillRuntime

/// The events of a run on disk, one JSON object a line, each with a checksum (`sum`).
///
/// What a flush has handed to the system, the end of this process takes not away; every 200 ms what is new is synced to
/// the disk, on a thread of its own: the files of records first, since lines name bytes in them. Lines between two flushes are handed over together, since a system call for each
/// would cost more than all the rest of a line. A line is there whole or not at all.
package final class Journal: Sendable {
    fileprivate struct State {
        var lines = JSONStream()
        var length: Int
        var isSyncDue = false
        var error: ResultsError?
        /// What went wrong first with a file of records.
        var recordsError: ResultsError?
        /// Is called once when the journal or a file of records has failed.
        var failureHandler: (@Sendable () -> Void)?
    }

    private static let syncInterval = Duration.milliseconds(200)
    private static let mostBytesHeld = 64 * 1024

    private let file: OutputFile
    private let thread: FileThread
    private let state: Mutex<State>
    private let sinks = Mutex<[OpenSink]>([])

    /// A file of records as long as somebody else has it open.
    private struct OpenSink {
        weak var sink: RecordSink?
    }

    /// A journal in a file that has this many bytes already.
    init(_ file: consuming OutputFile, length: Int = 0, thread: FileThread) {
        self.file = file
        self.thread = thread
        state = Mutex(State(length: length))
    }

    /// What went wrong first with the journal, if anything did. From then on it takes nothing more.
    package var error: ResultsError? { state.withLock { $0.error } }

    /// Whether the journal or a file of records could not be written. The run cannot be recorded then: it must send nothing more.
    package var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// Calls a function on the journal's thread as soon as `hasFailed` is true.
    package func whenFailed(_ handler: @escaping @Sendable () -> Void) {
        let hasFailed = state.withLock { state in
            if !state.hasFailed { state.failureHandler = handler }
            return state.hasFailed
        }
        if hasFailed { later(after: .zero, handler) }
    }

    /// Adds an event, which a later flush hands to the system.
    ///
    /// - Returns: whether so much is held that it is time for a flush.
    package func append(_ event: RunEvent) -> Bool {
        state.withLock { state in
            guard state.error == nil else { return false }
            let start = state.lines.count
            state.lines.add(event)
            state.lines.addChecksum(from: start)
            state.lines.endLine()
            return state.lines.bytes.count >= Self.mostBytesHeld
        }
    }

    /// Hands everything to the system.
    package func flush() {
        let isFirstSinceSync = state.withLock { state -> Bool in
            guard state.error == nil, !state.lines.bytes.isEmpty else { return false }
            defer { state.lines.removeAll(keepingCapacity: state.lines.bytes.capacity <= 4 * Self.mostBytesHeld) }
            do throws(ResultsError) {
                try file.write(state.lines.bytes)
                state.length += state.lines.bytes.count
            } catch {
                fail(&state) { $0.error = error }
                // A disk that is full may have had room for half of a line.
                try? file.cut(to: state.length)
            }
            defer { state.isSyncDue = true }
            return !state.isSyncDue
        }
        if isFirstSinceSync { later(after: Self.syncInterval) { [weak self] in self?.sync() } }
    }

    /// Has something done on the journal's own thread, which may wait for the disk.
    package func later(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        thread.submit(after: delay, work)
    }

    /// Has something written on the journal's own thread, which is not waited for; what it throws the journal has failed by.
    func begin(_ write: @escaping @Sendable () throws(ResultsError) -> Void) {
        later(after: .zero) { [self] in
            do throws(ResultsError) {
                try write()
            } catch {
                fail(with: error)
            }
        }
    }

    /// Notes that a file of records cannot be written. The journal itself goes on, so that the run can be resumed.
    func fail(withRecords error: ResultsError) {
        state.withLock { state in fail(&state) { $0.recordsError = $0.recordsError ?? error } }
    }

    /// Has a file of records, whose bytes lines of the journal name, synced before the journal as long as it is open.
    func follow(_ sink: RecordSink) {
        sinks.withLock { $0.append(OpenSink(sink: sink)) }
    }

    /// Waits until everything is on the disk.
    package func settle() async throws(ResultsError) {
        try await settle {}
    }

    /// Ends the journal: waits until everything is on the disk, and lets another run have the folder.
    ///
    /// - Parameter write: What else is to be written first, on the journal's own thread.
    /// - Throws: what that threw, or what went wrong first since the journal was begun, with it or with a file of records.
    package func finish(
        after write: @escaping @Sendable () throws(ResultsError) -> Void = {}
    ) async throws(ResultsError) {
        defer { file.unlock() }
        try await settle(after: write)
        if let error = state.withLock(\.recordsError) { throw error }
    }

    private func settle(after write: @escaping @Sendable () throws(ResultsError) -> Void) async throws(ResultsError) {
        flush()
        try await thread.run { () throws(ResultsError) in
            self.file.beginSync()
            try write()
            self.sync()
            if let error = self.error { throw error }
        }
    }

    private func sync() {
        let isDue = state.withLock { state in
            defer { state.isSyncDue = false }
            return state.isSyncDue
        }
        guard isDue else { return }
        // A line that comes meanwhile may be on the disk before the bytes that it names: whoever resumes looks whether they
        // are there.
        for sink in openSinks() { sink.sync() }
        do throws(ResultsError) {
            try file.sync()
        } catch {
            fail(with: error)
        }
    }

    private func fail(with error: ResultsError) {
        state.withLock { state in fail(&state) { $0.error = $0.error ?? error } }
    }

    /// Notes a failure, and has the run told of it: not under this lock, nor under that of whoever writes.
    private func fail(_ state: inout State, _ note: (inout State) -> Void) {
        note(&state)
        guard let handler = state.failureHandler else { return }
        state.failureHandler = nil
        later(after: .zero, handler)
    }

    private func openSinks() -> [RecordSink] {
        sinks.withLock { sinks in
            sinks.removeAll { $0.sink == nil }
            return sinks.compactMap(\.sink)
        }
    }
}

extension Journal.State {
    fileprivate var hasFailed: Bool { error != nil || recordsError != nil }
}

/// Short checksums that tell things apart (FNV-1a), and are no secret-keeping digests.
package enum Checksum {
    /// The checksum of some bytes, in digits and letters.
    package static func text(of bytes: ArraySlice<UInt8>) -> String {
        String(bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 36)
    }
}
