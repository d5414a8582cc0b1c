import Synchronization

/// A server that holds its answers back until they are let go, all of them from then on.
package final class HeldResponses: Sendable {
    private struct State {
        var isReleased = false
        var arrived = 0
        var answered = 0
        var waiting: [(isMet: @Sendable (_ arrived: Int, _ answered: Int) -> Bool, continuation: Continuation)] = []
    }

    private typealias Continuation = CheckedContinuation<Void, Never>

    /// What both the server's threads and the tests see.
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
                // Whoever gives up closes the connection.
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

    /// Where it is.
    package var url: String { "http://127.0.0.1:\(server.port)" }

    /// What was asked for, in order.
    package var targets: [String] { server.requests.map(\.target) }

    /// Releases all responses, also later ones.
    package func release() { shared.change { $0.isReleased = true } }

    /// Waits until so many requests have come.
    package func waitForRequests(_ count: Int) async {
        await wait { arrived, _ in arrived >= count }
    }

    /// Waits until so many responses have been written.
    package func waitForResponses(_ count: Int) async {
        await wait { _, answered in answered >= count }
    }

    /// Ends the server.
    package func stop() { server.stop() }

    private func wait(until isMet: @escaping @Sendable (_ arrived: Int, _ answered: Int) -> Bool) async {
        await withCheckedContinuation { continuation in
            shared.change { $0.waiting.append((isMet, continuation)) }
        }
    }
}
