import Synchronization

/// Passes a response from the engine's thread to the task that receives it in pieces.
final class BodyChannel: Sendable {
    /// What the channel delivers, in this order.
    enum Event: Sendable {
        /// The response, with its header still unparsed.
        case head(HTTPResponse, [UInt8])
        /// Bytes of the body.
        case bytes
        /// The end of the response. If no head was delivered before it, the response has no body.
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

    // The maximum number of buffered bytes, and the number up to which the buffer grows gradually.
    private static let capacity = 1 << 20
    private static let smallCount = 64 << 10

    private let state = Mutex(State())

    /// Whether the last `append` found no room. For the engine's thread, like `begin`, `append`, `finish` and `wake`.
    var isFull: Bool { state.withLock { $0.isFull } }

    /// Adds the head of the response. Called once.
    func begin(_ response: HTTPResponse, head: [UInt8]) {
        state.withLock { $0.head = (response, head) }
    }

    /// Appends bytes. Returns false, without appending any, if there is no room.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            state.isFull = !state.bytes.isEmpty && state.bytes.count + bytes.count > Self.capacity
            if !state.isFull {
                // A large body arrives in many pieces: reserve once, so that the array is not copied each time it
                // grows.
                let count = state.bytes.count + bytes.count
                if count > max(state.bytes.capacity, Self.smallCount) { state.bytes.reserveCapacity(Self.capacity) }
                state.bytes.append(contentsOf: bytes)
            }
            return !state.isFull
        }
    }

    /// Adds the end of the response and wakes the task.
    func finish(_ outcome: TransferOutcome) {
        state.withLock { $0.outcome = outcome }
        wake()
    }

    /// Resumes the waiting task if there is an event for it. The engine calls this once per iteration of its loop
    /// rather than for every piece.
    func wake() {
        let waiter = state.withLock { state in
            guard state.hasNews else { return nil as CheckedContinuation<Void, Never>? }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for the next event. Only one task may call this. Also returns whether the engine was waiting for room,
    /// which is now free.
    ///
    /// The bytes of the body replace those in the array, and the array's memory is reused for the next ones: with new
    /// memory for each piece, the system would have to allocate and clear as much as the whole body.
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
