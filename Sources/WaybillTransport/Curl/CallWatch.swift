import Synchronization
import WaybillPlatform
import WaybillRuntime

/// Ends connections whose servers keep a call into libcurl from returning.
///
/// libcurl reads an HTTP/2 connection until nothing is left or a part of a response has arrived. A server that sends
/// empty DATA frames, PRIORITY, WINDOW_UPDATE or unknown frames as fast as they are read therefore keeps one
/// `curl_multi_socket_action` busy for as long as it likes, and with it the engine's thread: no timeout fires, no other
/// transfer proceeds, and no request can be cancelled. (With libcurl 7.88 and a server of a few lines of Python, a
/// timeout of 1 s had not fired after 15 s with three kinds of these frames, and SIGINT had no effect. libcurl itself
/// ends a connection that is flooded with PING or SETTINGS, because the replies to them pile up.)
///
/// A separate thread checks every 200 ms for a call that has used 500 ms of processor time without progress, which is a
/// header line or a part of a body in either direction. It measures processor time because none passes while the program is suspended or
/// the machine is busy. The thread then finds the socket that the call reads: the one whose queue of unread bytes keeps
/// shrinking. It shuts that socket down, so that reading fails soon, which ends the call and the transfers of that
/// connection. Each call names a socket that has data, but libcurl may read others in the same call.
final class CallWatch: Sendable {
    private static let millisecondsBetweenChecks: Int32 = 200
    private static let longestCall: Int64 = 500_000_000
    // How often one check counts the unread bytes, the microseconds between two counts, and how often the count must
    // fall. The count of a socket that is not being read never falls.
    private static let samples = 100
    private static let microsecondsBetweenSamples: UInt32 = 100
    private static let decreasesOfRead = 3

    private struct State {
        /// The number of calls that have started, and whether the last one has not returned.
        var calls = 0
        var isInCall = false
        /// The system's identifier of the engine's thread.
        var thread: Int64 = -1
        /// The sockets that libcurl waits for. libcurl removes a socket before closing it.
        var sockets: Set<Int32> = []
        /// The local ports of the connections that were ended.
        var cutPorts: Set<Int32> = []
        var isAsleep = false
        var isClosed = false
    }

    /// The state at one check: the number of calls, how often there was progress, and the thread's processor time.
    private struct Sample {
        var calls: Int
        var progress: Int
        var time: Int64
    }

    private let state = Mutex(State())
    private let progress = Atomic(0)
    private let wakeUp: WakeUp
    // Retains the watch until it is closed.
    private let thread = Mutex<SystemThread<Void>?>(nil)

    /// Creates a watch that watches no thread yet.
    init() throws(SystemError) {
        wakeUp = try WakeUp()
    }

    /// Starts watching the current thread. If the thread for checking cannot be started, nothing is watched.
    func watchCurrentThread() {
        let current = waybill_current_thread()
        state.withLock { $0.thread = current }
        thread.withLock { thread in
            thread = try? SystemThread { [self] in checkUntilClosed() }
        }
    }

    /// Ends the watch.
    func close() {
        state.withLock { $0.isClosed = true }
        wakeUp.signal()
    }

    /// Waits until the thread for checking has ended, which it does after `close`.
    func join() async {
        await thread.withLock { $0 }?.join()
    }
}

// MARK: For the watched thread

extension CallWatch {
    /// Records that a call into libcurl starts.
    func beginCall() {
        let wasAsleep = state.withLock { state in
            state.calls += 1
            state.isInCall = true
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if wasAsleep { wakeUp.signal() }
    }

    /// Records that the call has returned.
    func endCall() {
        state.withLock { $0.isInCall = false }
    }

    /// Records that a part of a response has arrived, or that a part of a request's body was read.
    func noteProgress() {
        progress.add(1, ordering: .relaxed)
    }

    /// How often there was progress.
    var progressCount: Int { progress.load(ordering: .relaxed) }

    /// Records that libcurl starts or stops using a socket.
    func note(_ socket: Int32, isInUse: Bool) {
        state.withLock { state in
            if isInUse { state.sockets.insert(socket) } else { state.sockets.remove(socket) }
        }
    }

    /// The local ports of the connections that were ended since the last call; 0 for those of Unix sockets.
    func takeCutPorts() -> Set<Int32> {
        state.withLock { state in
            defer { state.cutPorts = [] }
            return state.cutPorts
        }
    }
}

// MARK: For the thread that looks

extension CallWatch {
    private func checkUntilClosed() {
        var start = Sample(calls: 0, progress: 0, time: 0)
        while let isIdle = look(&start) {
            wakeUp.wait(milliseconds: isIdle ? -1 : Self.millisecondsBetweenChecks)
        }
    }

    /// Compares the call with its state at an earlier check. Returns whether there is nothing to check until the next
    /// call; nil after `close`.
    private func look(_ start: inout Sample) -> Bool? {
        // While the lock is held, libcurl closes no socket.
        state.withLock { state in
            guard !state.isClosed else { return nil }
            let now = Sample(
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
                // A callback may have taken this long, such as one that makes room for a large body.
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
