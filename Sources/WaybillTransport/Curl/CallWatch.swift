import CPlatform
import Synchronization
import WaybillRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Ends connections whose servers keep a call into libcurl from returning.
///
/// libcurl reads an HTTP/2 connection until nothing is left or a part of a response has come. A server that sends empty
/// DATA frames, PRIORITY, WINDOW_UPDATE or unknown frames as fast as they are read therefore keeps one
/// `curl_multi_socket_action` busy as long as it likes, and with it the engine's thread: no timeout ends, no other
/// transfer proceeds, and no request can be cancelled. (With libcurl 7.88 and a server of a few lines of Python, a
/// timeout of 1 s had not ended after 15 s with three of these frames, nor had SIGINT an effect. libcurl itself ends a
/// connection that is flooded with PING or SETTINGS, because the replies to them pile up.)
///
/// A thread of its own looks every 200 ms for a call that has taken 500 ms of processor time without any progress: a
/// line of a header or a part of a body. It is processor time, because a suspended program or a busy machine takes none.
/// Then the thread finds the socket that the call reads, which is the one whose queue of unread bytes becomes shorter
/// again and again, and shuts it down: reading from it fails soon, which ends the call and the transfers of that
/// connection. libcurl says at each call which socket has data, but the call may serve others, too.
final class CallWatch: Sendable {
    private static let millisecondsBetweenLooks: Int32 = 200
    private static let longestCall: Int64 = 500_000_000
    // How often unread bytes are counted in one look, after how many microseconds each, and how often they must become
    // fewer. A socket that nobody reads has only ever more.
    private static let samples = 100
    private static let microsecondsBetweenSamples: UInt32 = 100
    private static let decreasesOfRead = 3

    private struct State {
        /// The number of calls that have started, and whether the last one has not returned.
        var calls = 0
        var isInCall = false
        /// The number that the system has for the engine's thread.
        var thread: Int64 = -1
        /// The sockets that libcurl waits for. It takes one out before closing it.
        var sockets: Set<Int32> = []
        /// The local ports of the connections that were ended.
        var cutPorts: Set<Int32> = []
        var isAsleep = false
        var isClosed = false
    }

    /// What a look found: the number of calls, how often there was progress, and the thread's processor time.
    private struct Look {
        var calls: Int
        var progress: Int
        var time: Int64
    }

    private let state = Mutex(State())
    private let progress = Atomic(0)
    private let wakeUp: WakeUp
    // Retains the watch until it is closed.
    private let thread = Mutex<SystemThread<Void>?>(nil)

    /// A watch of no thread yet; throws the error of the system.
    init() throws(SystemError) {
        wakeUp = try WakeUp()
    }

    /// Starts watching the current thread. Without memory for another thread nothing is watched.
    func watchCurrentThread() {
        let current = waybill_current_thread()
        state.withLock { $0.thread = current }
        thread.withLock { thread in
            thread = try? SystemThread { [self] in lookUntilClosed() }
        }
    }

    /// Ends the watch.
    func close() {
        state.withLock { $0.isClosed = true }
        wakeUp.signal()
    }

    /// Returns when the thread that looks has ended, which it does after `close`.
    func join() async {
        await thread.withLock { $0 }?.join()
    }
}

// MARK: For the watched thread

extension CallWatch {
    /// Notes that a call into libcurl starts.
    func beginCall() {
        let wasAsleep = state.withLock { state in
            state.calls += 1
            state.isInCall = true
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if wasAsleep { wakeUp.signal() }
    }

    /// Notes that the call has returned.
    func endCall() {
        state.withLock { $0.isInCall = false }
    }

    /// Notes that a part of a response has come.
    func noteProgress() {
        progress.add(1, ordering: .relaxed)
    }

    /// Notes that libcurl starts or stops using a socket.
    func note(_ socket: Int32, isInUse: Bool) {
        state.withLock { state in
            if isInUse { state.sockets.insert(socket) } else { state.sockets.remove(socket) }
        }
    }

    /// The local ports of the connections that were ended since the last time; 0 for those of Unix sockets.
    func takeCutPorts() -> Set<Int32> {
        state.withLock { state in
            defer { state.cutPorts = [] }
            return state.cutPorts
        }
    }
}

// MARK: For the thread that looks

extension CallWatch {
    private func lookUntilClosed() {
        var start = Look(calls: 0, progress: 0, time: 0)
        while let isIdle = look(&start) {
            wakeUp.wait(milliseconds: isIdle ? -1 : Self.millisecondsBetweenLooks)
        }
    }

    /// Compares the call with what it was at an earlier look. Returns whether there is nothing to look at until the next
    /// call; nil after `close`.
    private func look(_ start: inout Look) -> Bool? {
        // With the lock, no socket that libcurl uses is closed.
        state.withLock { state in
            guard !state.isClosed else { return nil }
            let now = Look(
                calls: state.calls,
                progress: progress.load(ordering: .relaxed),
                time: waybill_thread_time(state.thread)
            )
            guard now.calls == start.calls else {
                start = now
                return false
            }
            guard state.isInCall else {
                state.isAsleep = true
                return true
            }
            if now.progress != start.progress || now.time < 0 {
                start = now
            } else if now.time - start.time >= Self.longestCall, let socket = Self.socketBeingRead(of: state.sockets),
                // A callback may have taken so long, as one that makes room for a large body does.
                progress.load(ordering: .relaxed) == now.progress
            {
                state.cutPorts.insert(LocalPort.of(socket) ?? 0)
                shutdown(socket, Int32(SHUT_RDWR))
            }
            return false
        }
    }

    private static func socketBeingRead(of sockets: Set<Int32>) -> Int32? {
        var unread = sockets.map { waybill_unread_bytes($0) }
        var decreases = [Int](repeating: 0, count: sockets.count)
        for _ in 0..<samples {
            usleep(microsecondsBetweenSamples)
            for (index, socket) in sockets.enumerated() {
                let count = waybill_unread_bytes(socket)
                if count < unread[index] { decreases[index] += 1 }
                unread[index] = count
            }
        }
        let mostRead = zip(sockets, decreases).max { $0.1 < $1.1 }
        guard let mostRead, mostRead.1 >= decreasesOfRead else { return nil }
        return mostRead.0
    }
}
