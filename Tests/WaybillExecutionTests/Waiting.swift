import Synchronization

/// Waits until a condition on concurrent code holds, for states that cause no event. Otherwise, the time limit of the
/// suite ends the wait.
func until(_ condition: () -> Bool) async {
    // Sleeps, because a loop of `Task.yield` would take the processor from the code that is waited for.
    while !condition(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
}

/// Holds all callers until enough have arrived; later ones pass.
final class Gate: Sendable {
    private let state: Mutex<(missing: Int, waiting: [CheckedContinuation<Void, Never>])>

    init(for count: Int) {
        state = Mutex((count, []))
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let released = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.missing -= 1
                state.waiting.append(continuation)
                guard state.missing <= 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in released { continuation.resume() }
        }
    }
}

/// Waits until its task is cancelled.
func untilCancelled() async {
    let (stream, end) = AsyncStream.makeStream(of: Void.self)
    for await _ in stream {}
    end.finish()
}
