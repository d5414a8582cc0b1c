import Synchronization

/// A server that withholds its responses until `release` is called, and then sends all of them.
package final class HeldResponses: Sendable {
    private struct State {
        var isReleased = false
        var arrived = 0
        var answered = 0
        var waiting: [(isMet: @Sendable (_ arrived: Int, _ answered: Int) -> Bool, continuation: Continuation)] = []
    }

    private typealias Continuation = CheckedContinuation<Void, Never>

    /// The state that the server's threads and the tests share.
    private final class Shared: Sendable {
        let state = Mutex(State())

        func change(_ change: (inout State) -> Void) {
            let met = state.withLock { state -> [Continuation] in
                change(&state)
                let (arrived, answered) = (state.arrived, state.answered)
                let met = state.waiting.filter { $0.isMet(arrived, answered) }
                state.waiting.removeAll { $0.isMet(arrived, answered) }
                return met.map(\.continuation)
            }
            for continuation in met { continuation.resume() }
        }
    }

    private let shared: Shared
    private let server: LoopbackServer

    /// Starts the server.
    package init() throws {
        let shared = Shared()
        self.shared = shared
        server = try LoopbackServer { connection in
            while let request = connection.readRequest() {
                shared.change { $0.arrived += 1 }
                // A client that cancels its request closes the connection.
                while !shared.state.withLock({ $0.isReleased }) {
                    guard connection.pass(milliseconds: 1) else { return }
                }
                let answer = ServerResponse(
                    headers: [("Content-Type", "application/json")],
                    body: Array("{}".utf8)
                )
                guard connection.write(answer.bytes(to: request.method)) else { return }
                shared.change { $0.answered += 1 }
            }
        }
    }

    /// The URL of the server.
    package var url: String { "http://127.0.0.1:\(server.port)" }

    /// The targets of the requests, in order.
    package var targets: [String] { server.requests.map(\.target) }

    /// Releases all responses, including later ones.
    package func release() { shared.change { $0.isReleased = true } }

    /// Waits until this many requests have arrived.
    package func waitForRequests(_ count: Int) async {
        await wait { arrived, _ in arrived >= count }
    }

    /// Waits until this many responses have been written.
    package func waitForResponses(_ count: Int) async {
        await wait { _, answered in answered >= count }
    }

    /// Stops the server.
    package func stop() { server.stop() }

    private func wait(until isMet: @escaping @Sendable (_ arrived: Int, _ answered: Int) -> Bool) async {
        await withCheckedContinuation { continuation in
            shared.change { $0.waiting.append((isMet, continuation)) }
        }
    }
}
