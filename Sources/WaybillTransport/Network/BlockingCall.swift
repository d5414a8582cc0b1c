#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A call that blocks, on a thread of its own: tasks have only as many threads as there are cores.
package final class BlockingCall: Sendable {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Makes the call and gives what it gave; nil when there is no thread to be had.
    package static func run<Value: Sendable>(_ call: @escaping @Sendable () -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            if !begin({ continuation.resume(returning: call()) }) { continuation.resume(returning: nil) }
        }
    }

    /// Begins a call that nobody waits for; false when there is no thread to be had.
    package static func begin(_ call: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(BlockingCall(call))
        let hasBegun = start(work.toOpaque())
        if !hasBegun { work.release() }
        return hasBegun
    }

    private static func start(_ argument: UnsafeMutableRawPointer) -> Bool {
        #if canImport(Glibc)
            var thread = pthread_t()
            let code = pthread_create(&thread, nil, { BlockingCall.carryOut($0) }, argument)
        #else
            var thread: pthread_t?
            let code = pthread_create(&thread, nil, { BlockingCall.carryOut($0) }, argument)
        #endif
        guard code == 0 else { return false }
        #if canImport(Glibc)
            pthread_detach(thread)
        #else
            if let thread { pthread_detach(thread) }
        #endif
        return true
    }

    private static func carryOut(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        // The reference that `begin` made.
        Unmanaged<BlockingCall>.fromOpaque(argument).takeRetainedValue().body()
        return nil
    }
}
