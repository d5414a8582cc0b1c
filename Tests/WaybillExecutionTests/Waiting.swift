import Synchronization

/// Waits until a condition holds of what runs elsewhere, for states that cause no event. The time limit of the suite ends it
/// otherwise.
func until(_ condition: () -> Bool) async {
    // Not a loop of `Task.yield`, which takes the processor from what is waited for.
    while !condition(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
}

/// Holds all who come until there are enough of them; later ones pass.
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
