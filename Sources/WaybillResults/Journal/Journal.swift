import Synchronization
import WaybillRuntime

/// The events of a run on disk, one JSON object per line, each with a checksum (`sum`).
///
/// Flushed lines have been handed to the system, so they survive the end of this process. Every 200 ms, new lines are
/// synced to the disk on a separate thread, after the files of records, because lines refer to bytes in them. Lines
/// between two flushes are written together, because a system call for each would cost more than all other work for the
/// line. A line is written completely or not at all.
package final class Journal: Sendable {
    fileprivate struct State {
        var lines = JSONStream()
        var length: Int
        var isSyncDue = false
        var error: ResultsError?
        /// The first error of a file of records.
        var recordsError: ResultsError?
        /// Called once when the journal or a file of records has failed.
        var failureHandler: (@Sendable () -> Void)?
    }

    private static let syncInterval = Duration.milliseconds(200)
    private static let mostBytesHeld = 64 * 1024

    private let file: OutputFile
    private let thread: FileThread
    private let state: Mutex<State>
    private let files = Mutex<[OpenFile]>([])

    /// A file of records, for as long as it is open elsewhere.
    private struct OpenFile {
        weak var writer: RecordFileWriter?
    }

    /// Creates a journal in a file that already has this many bytes.
    init(_ file: consuming OutputFile, length: Int = 0, thread: FileThread) {
        self.file = file
        self.thread = thread
        state = Mutex(State(length: length))
    }

    /// The first error of the journal, if any. After an error, the journal accepts no more events.
    package var error: ResultsError? { state.withLock { $0.error } }

    /// Whether the journal or a file of records could not be written. The run can then not be recorded, and must send
    /// nothing more.
    package var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// Calls a function on the journal's thread as soon as `hasFailed` is true.
    package func whenFailed(_ handler: @escaping @Sendable () -> Void) {
        let hasFailed = state.withLock { state in
            if !state.hasFailed { state.failureHandler = handler }
            return state.hasFailed
        }
        if hasFailed { later(after: .zero, handler) }
    }

    /// Adds an event, which a later flush writes.
    ///
    /// - Returns: Whether so much is buffered that it is time to flush.
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

    /// Writes all buffered events.
    package func flush() {
        let isFirstSinceSync = state.withLock { state -> Bool in
            guard state.error == nil, !state.lines.bytes.isEmpty else { return false }
            defer { state.lines.removeAll(keepingCapacity: state.lines.bytes.capacity <= 4 * Self.mostBytesHeld) }
            do throws(ResultsError) {
                try file.write(state.lines.bytes)
                state.length += state.lines.bytes.count
            } catch {
                fail(&state) { $0.error = error }
                // A full disk may have had space for part of a line.
                try? file.cut(to: state.length)
            }
            defer { state.isSyncDue = true }
            return !state.isSyncDue
        }
        if isFirstSinceSync { later(after: Self.syncInterval) { [weak self] in self?.sync() } }
    }

    /// Performs work on the journal's own thread, which may wait for the disk.
    package func later(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        thread.submit(after: delay, work)
    }

    /// Starts a write on the journal's own thread, without waiting for it. If it throws, the journal has failed.
    func begin(_ write: @escaping @Sendable () throws(ResultsError) -> Void) {
        later(after: .zero) { [self] in
            do throws(ResultsError) {
                try write()
            } catch {
                fail(with: error)
            }
        }
    }

    /// Records that a file of records cannot be written. The journal itself continues, so that the run can be resumed.
    func fail(withRecords error: ResultsError) {
        state.withLock { state in fail(&state) { $0.recordsError = $0.recordsError ?? error } }
    }

    /// Registers a file of records that lines of the journal refer to. While it is open, it is synced before the
    /// journal.
    func follow(_ writer: RecordFileWriter) {
        files.withLock { $0.append(OpenFile(writer: writer)) }
    }

    /// Waits until everything is on the disk.
    package func settle() async throws(ResultsError) {
        try await settle {}
    }

    /// Closes the journal: waits until everything is on the disk, and unlocks the folder.
    ///
    /// - Parameter write: Writes anything else first, on the journal's own thread.
    /// - Throws: The error of `write`, or the first error of the journal or a file of records since the journal was
    ///   opened.
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
        // A line that is added in the meantime may be on the disk before the bytes that it refers to; resuming checks
        // that they are there.
        for writer in openFiles() { writer.sync() }
        do throws(ResultsError) {
            try file.sync()
        } catch {
            fail(with: error)
        }
    }

    private func fail(with error: ResultsError) {
        state.withLock { state in fail(&state) { $0.error = $0.error ?? error } }
    }

    /// Records a failure, and has the run notified: neither under this lock, nor under that of the writer.
    private func fail(_ state: inout State, _ note: (inout State) -> Void) {
        note(&state)
        guard let handler = state.failureHandler else { return }
        state.failureHandler = nil
        later(after: .zero, handler)
    }

    private func openFiles() -> [RecordFileWriter] {
        files.withLock { files in
            files.removeAll { $0.writer == nil }
            return files.compactMap(\.writer)
        }
    }
}

extension Journal.State {
    fileprivate var hasFailed: Bool { error != nil || recordsError != nil }
}

/// Short checksums that tell values apart (FNV-1a). They are not cryptographic digests.
package enum Checksum {
    /// Returns the checksum of some bytes, in digits and letters.
    package static func text(of bytes: ArraySlice<UInt8>) -> String {
        String(bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 36)
    }
}
