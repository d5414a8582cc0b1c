import Synchronization

/// Passes a response from the engine's thread to the task that receives it piece by piece.
final class BodyChannel: Sendable {
    /// What comes, in this order.
    enum Event: Sendable {
        /// The response, whose header is still bytes.
        case head(HTTPResponse, [UInt8])
        /// Bytes of the body.
        case bytes
        /// The end of the response. If no head came before it, the response has no body.
        case end(TransferOutcome)
    }

    private struct State {
        var head: (HTTPResponse, [UInt8])?
        var bytes: [UInt8] = []
        var isFull = false
        var outcome: TransferOutcome?
        var waiter: CheckedContinuation<Void, Never>?

        var hasNews: Bool { head != nil || !bytes.isEmpty || outcome != nil }
    }

    // How much may lie here; the most that is taken at once.
    private static let capacity = 1 << 20
    private static let smallCount = 64 << 10

    private let state = Mutex(State())

    /// Whether the engine was told to wait. For the engine's thread, as what follows.
    var isFull: Bool { state.withLock { $0.isFull } }

    /// Takes the response's head, once.
    func begin(_ response: HTTPResponse, head: [UInt8]) {
        state.withLock { $0.head = (response, head) }
    }

    /// Takes bytes. False when there is no room, and none have been taken.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            state.isFull = !state.bytes.isEmpty && state.bytes.count + bytes.count > Self.capacity
            if !state.isFull {
                // A large body comes in many pieces: the array is not to grow, and be copied, with several of them.
                let count = state.bytes.count + bytes.count
                if count > max(state.bytes.capacity, Self.smallCount) { state.bytes.reserveCapacity(Self.capacity) }
                state.bytes.append(contentsOf: bytes)
            }
            return !state.isFull
        }
    }

    /// Takes the end.
    func finish(_ outcome: TransferOutcome) {
        state.withLock { $0.outcome = outcome }
        wake()
    }

    /// Lets the task go on if there is something for it: once a turn of the engine rather than for every piece.
    func wake() {
        let waiter = state.withLock { state in
            guard state.hasNews else { return nil as CheckedContinuation<Void, Never>? }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for the next event. For one task. Also returns whether the engine waits for room, which there is now.
    ///
    /// The bytes of the body replace those in the array, whose memory takes the ones after them: if each piece had fresh
    /// memory, the system would have to give out and clear as much as the whole body.
    func next(into bytes: inout [UInt8]) async -> (event: Event, makesRoom: Bool) {
        while true {
            if let next = take(into: &bytes) { return next }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if !state.hasNews { state.waiter = continuation }
                    return state.hasNews
                }
                if isReady { continuation.resume() }
            }
        }
    }

    private func take(into bytes: inout [UInt8]) -> (Event, Bool)? {
        state.withLock { state in
            if let (response, head) = state.head {
                state.head = nil
                return (.head(response, head), false)
            }
            if !state.bytes.isEmpty {
                bytes.removeAll(keepingCapacity: true)
                swap(&bytes, &state.bytes)
                defer { state.isFull = false }
                return (.bytes, state.isFull)
            }
            return state.outcome.map { (.end($0), false) }
        }
    }
}
