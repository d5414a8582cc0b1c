import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A thread for calls that block, which tasks must not make.
final class ThreadHandle: Sendable {
    private let thread: Mutex<pthread_t?>

    /// Starts a thread; throws an errno when there is none to be had.
    init(_ body: @escaping @Sendable () -> Void) throws(LoopbackError) {
        let box = Unmanaged.passRetained(ThreadBody(body))
        // The thread takes this reference over.
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

    /// Does something and then, whatever came of it, ends something on a thread of its own: that may block, and the threads
    /// of tasks are few.
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
        // The reference that `ThreadHandle.init` made.
        Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().body()
        return nil
    }
}
