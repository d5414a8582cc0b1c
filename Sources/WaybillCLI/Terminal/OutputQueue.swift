import Dispatch
import Synchronization
import WaybillRuntime

/// Writes to a stream, one write after another on a thread of its own. A reader that does not read, or a terminal that
/// was stopped with Ctrl-S, delays only the output.
final class OutputQueue: Sendable {
    private struct State {
        var waiting: [(bytes: Int, perform: @Sendable () -> Void)] = []
        /// The number of writes that have not ended, and of their bytes.
        var (count, bytes) = (0, 0)
        /// Whether the thread could be started; `nil` before the first write.
        var hasThread: Bool?
    }

    private let state = Mutex(State())
    private let arrival = DispatchSemaphore(value: 0)

    /// The bytes of all writes that have not ended.
    var waitingBytes: Int { state.withLock { $0.bytes } }

    /// Whether all writes have ended.
    var isIdle: Bool { state.withLock { $0.count == 0 } }

    /// Adds a write of some bytes.
    func add(_ bytes: Int = 0, _ write: @escaping @Sendable () -> Void) {
        let waits = state.withLock { state -> Bool in
            if state.hasThread == nil { state.hasThread = startThread() }
            guard state.hasThread == true else { return false }
            state.waiting.append((bytes, write))
            state.count += 1
            state.bytes += bytes
            return true
        }
        if waits { arrival.signal() } else { write() }
    }

    /// Waits until all writes that were added before have ended. Returns whether they have; `false` if `mustStop`, which is
    /// called every 50 ms, has returned `true`.
    func wait(unless mustStop: () -> Bool) -> Bool {
        guard !isIdle else { return true }
        let end = DispatchSemaphore(value: 0)
        add { end.signal() }
        while end.wait(timeout: .now() + .milliseconds(50)) == .timedOut {
            if mustStop() { return false }
        }
        return true
    }

    private func startThread() -> Bool {
        (try? SystemThread { [self] in while true { performWaiting() } }) != nil
    }

    private func performWaiting() {
        arrival.wait()
        let writes = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for write in writes {
            write.perform()
            state.withLock { state in
                state.count -= 1
                state.bytes -= write.bytes
            }
        }
    }
}
