import Synchronization
import WaybillPlatform

/// A thread of the system, for work that blocks or needs its own thread.
///
/// All signals are blocked: other threads handle those of the program, and SIGPIPE from a write to a closed connection,
/// which neither libcurl nor OpenSSL prevents, must not end the program. Threads that it starts inherit this.
package final class SystemThread<Value: Sendable>: Sendable {
    private let result = ThreadResult<Value>()
    // Nil once it has been joined or detached, which happens only once.
    private let handle: Mutex<pthread_t?>

    /// Starts a thread that runs some work; throws the system's error.
    package init(_ work: sending @escaping () -> Value) throws(SystemError) {
        let body = ThreadBody(work: { [result] in result.set(work()) }, end: { [result] in result.announce() })
        // The thread takes over the reference and with it the work, which `sending` guarantees is not shared.
        let reference = Unmanaged.passRetained(body)
        let (created, code) = initialized { pthread_create($0, nil, { ThreadBody.run($0) }, reference.toOpaque()) }
        guard code == 0 else {
            reference.release()
            handle = Mutex(nil)
            throw SystemError(code)
        }
        handle = Mutex(created)
    }

    /// Waits until the work is done and its thread has ended.
    package func join() async {
        await result.wait()
        // The thread has nothing left to do: this does not block for longer than its exit takes.
        if let thread = takeHandle() { pthread_join(thread, nil) }
    }

    /// The result of the work; nil before it has ended.
    package var value: Value? { result.value }

    deinit {
        // The thread ends on its own.
        if let thread = takeHandle() { pthread_detach(thread) }
    }

    private func takeHandle() -> pthread_t? {
        handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
    }
}

/// The work of a thread. Created by one thread, used by the other.
private final class ThreadBody {
    private var work: (() -> Void)?
    private let end: () -> Void

    init(work: @escaping () -> Void, end: @escaping () -> Void) {
        self.work = work
        self.end = end
    }

    static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        // Takes over the reference that `SystemThread.init` created.
        let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        body.work?()
        // What the work captures is released before its end is reported.
        body.work = nil
        body.end()
        return nil
    }
}

/// The result of a thread's work, for the tasks that wait for it.
private final class ThreadResult<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var hasEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var value: Value? { state.withLock { $0.value } }

    /// Waits until `announce` has been called.
    func wait() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiting.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    func set(_ value: Value) {
        state.withLock { $0.value = value }
    }

    /// Resumes all waiting tasks.
    func announce() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// Makes blocking calls on a separate thread, because tasks have only as many threads as there are cores.
package enum BlockingCall {
    /// Makes the call and returns its result; nil if no thread can be started.
    package static func run<Value: Sendable>(_ call: @escaping @Sendable () -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            let thread = try? SystemThread { continuation.resume(returning: call()) }
            if thread == nil { continuation.resume(returning: nil) }
        }
    }
}
