import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A thread for blocking calls, which tasks must not make.
final class ThreadHandle: Sendable {
    private let thread: Mutex<pthread_t?>

    /// Starts a thread; throws the system's error.
    init(_ body: @escaping @Sendable () -> Void) throws(LoopbackError) {
        let box = Unmanaged.passRetained(ThreadBody(body))
        // The thread takes over this reference.
        let argument = box.toOpaque()
        #if canImport(Glibc)
            var created = pthread_t()
            let code = pthread_create(&created, nil, { ThreadBody.run($0) }, argument)
        #else
            var created: pthread_t?
            let code = pthread_create(&created, nil, { ThreadBody.run($0) }, argument)
        #endif
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

    private static func run(_ body: @escaping @Sendable () -> Void) async throws {
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        let thread = try ThreadHandle {
            body()
            ended.finish()
        }
        for await _ in ends {}
        thread.join()
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
