import Synchronization

/// A value that one task waits for, and another one sets.
package final class Awaited<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var continuation: CheckedContinuation<Value, Never>?
    }

    private let state = Mutex(State())

    /// A value that is not set yet.
    package init() {}

    /// Sets the value, unless it has been set.
    package func set(_ value: Value) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, Never>? in
            guard state.value == nil else { return nil }
            state.value = value
            return state.continuation.take()
        }
        continuation?.resume(returning: value)
    }

    /// Waits until the value is set.
    ///
    /// - Parameter onCancel: Called when the waiting task is cancelled; it has to ensure that the value is set.
    package func value(onCancel: @Sendable () -> Void) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state -> Value? in
                    if state.value == nil { state.continuation = continuation }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        } onCancel: {
            onCancel()
        }
    }
}
