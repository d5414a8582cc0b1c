import Synchronization
import WaybillData

/// The events of a run on disk, one JSON object a line.
///
/// A line is handed to the system before `append` returns, so that the end of this process takes nothing away; every
/// 200 ms what is new is synced to the disk, on a thread of its own. A line is there whole or not at all.
package final class Journal: Sendable {
    private struct State {
        var line: [UInt8] = []
        var length = 0
        var isSyncDue = false
        var error: ResultsError?
    }

    private static let syncInterval = Duration.milliseconds(200)
    private static let keptLineCapacity = 64 * 1024

    private let file: OutputFile
    private let thread: FileThread
    private let state = Mutex(State())

    /// A journal in a file that is empty.
    init(_ file: consuming OutputFile, thread: FileThread) {
        self.file = file
        self.thread = thread
    }

    /// What went wrong first, if anything did. From then on the journal takes nothing more, and the run cannot be
    /// recorded: it has to end.
    package var error: ResultsError? { state.withLock { $0.error } }

    /// Writes an event.
    package func append(_ event: RunEvent) {
        let isFirstSinceSync = state.withLock { state -> Bool in
            guard state.error == nil else { return false }
            state.line.removeAll(keepingCapacity: state.line.capacity <= Self.keptLineCapacity)
            JSONWriter().write(event.json, to: &state.line)
            state.line.append(UInt8(ascii: "\n"))
            do throws(ResultsError) {
                try file.write(state.line)
                state.length += state.line.count
            } catch {
                state.error = error
                // A disk that is full may have had room for half of the line.
                try? file.cut(to: state.length)
            }
            defer { state.isSyncDue = true }
            return !state.isSyncDue
        }
        if isFirstSinceSync { thread.submit(after: Self.syncInterval) { [weak self] in self?.sync() } }
    }

    /// Ends the journal: waits until everything is on the disk, and lets another run have the folder.
    ///
    /// - Throws: what went wrong first since the journal was begun.
    package func finish() async throws(ResultsError) {
        try await thread.run { () throws(ResultsError) in
            self.sync()
            self.file.unlock()
            if let error = self.error { throw error }
        }
    }

    private func sync() {
        let isDue = state.withLock { state in
            defer { state.isSyncDue = false }
            return state.isSyncDue
        }
        guard isDue else { return }
        do throws(ResultsError) {
            try file.sync()
        } catch {
            state.withLock { $0.error = $0.error ?? error }
        }
    }
}
