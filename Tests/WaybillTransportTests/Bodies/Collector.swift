import Synchronization
import WaybillTransport

/// Receives the body of a response and records it.
final class Collector: BodyReceiver {
    struct Got: Sendable {
        var heads: [HTTPResponse] = []
        var count = 0
        var largest = 0
        var bytes: [UInt8] = []
    }

    private let state = Mutex(Got())
    private let use: @Sendable (HTTPResponse) -> BodyUse
    private let take: @Sendable (Int) async -> Bool

    /// Creates a receiver. After each piece, `take` receives the number of bytes so far and returns whether to
    /// continue.
    init(
        use: @escaping @Sendable (HTTPResponse) -> BodyUse = { _ in .receive },
        take: @escaping @Sendable (Int) async -> Bool = { _ in true }
    ) {
        self.use = use
        self.take = take
    }

    var got: Got { state.withLock { $0 } }

    func begin(_ response: HTTPResponse) async -> BodyUse {
        state.withLock { $0.heads.append(response) }
        return use(response)
    }

    func receive(_ bytes: [UInt8]) async -> Bool {
        let count = state.withLock { state in
            state.count += bytes.count
            state.largest = max(state.largest, bytes.count)
            if state.bytes.count < 32 << 20 { state.bytes += bytes }
            return state.count
        }
        return await take(count)
    }
}
