import Synchronization
import WaybillPlatform

/// A thread for blocking calls, which tasks must not make.
final class ThreadHandle: Sendable {
    private let thread: Mutex<pthread_t?>

    /// Starts a thread; throws the system's error.
    init(_ body: @escaping @Sendable () -> Void) throws(LoopbackError) {
        let box = Unmanaged.passRetained(ThreadBody(body))
        // The thread takes over this reference.
        let argument = box.toOpaque()
        let (created, code) = initialized { pthread_create($0, nil, { ThreadBody.run($0) }, argument) }
        guard code == 0 else {
            box.release()
            throw LoopbackError(call: "pthread_create", errno: code)
        }
        thread = Mutex(created)
    }

    /// Runs `body` and then, whatever its result, `end` on a separate thread, because `end` may block and tasks have
    /// few threads.
    static func run<Result>(
        _ body: () async throws -> Result,
        finally end: @escaping @Sendable () -> Void
    ) async throws -> Result {
        do {
            let result = try await body()
            try await run(end)
            return result
        } catch {
            try await run(end)
            throw error
        }
    }

    /// Makes a blocking call on a separate thread and returns its result.
    static func run<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do {
                _ = try ThreadHandle { continuation.resume(with: Result(catching: call)) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    deinit {
        // The thread ends on its own.
        if let taken = thread.withLock({ $0 }) { pthread_detach(taken) }
    }

    /// Waits until the thread has ended. Later calls do nothing.
    func join() {
        let taken = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let taken { pthread_join(taken, nil) }
    }
}

private final class ThreadBody: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        // The reference that `ThreadHandle.init` created.
        Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().body()
        return nil
    }
}
