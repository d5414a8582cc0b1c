/// Makes blocking calls on a separate thread, because tasks have only as many threads as there are cores.
package enum BlockingCall {
    /// Makes the call and returns its result; nil where no thread can be started.
    package static func run<Value: Sendable>(_ call: @escaping @Sendable () -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            let thread = try? SystemThread { continuation.resume(returning: call()) }
            if thread == nil { continuation.resume(returning: nil) }
        }
    }
}
