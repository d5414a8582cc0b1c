import Synchronization

/// A server that sends each response on demand. It must be stopped.
package final class ResponsesOnCall: Sendable {
    /// What both the server's threads and the tests see.
    private final class Shared: Sendable {
        struct State {
            /// The connections of requests that wait for a response, by target.
            var waiting: [String: LoopbackConnection] = [:]
            /// Answers to requests that have not come.
            var ready: [String: ServerResponse] = [:]
            var targets: [String] = []
            var arrived: @Sendable (ReceivedRequest) -> Void = { _ in }
        }

        let state = Mutex(State())

        /// Takes note of a request.
        ///
        /// - Returns: its response if that was given first, and the continuation to resume.
        func take(
            _ request: ReceivedRequest,
            _ connection: LoopbackConnection
        ) -> (ServerResponse?, @Sendable (ReceivedRequest) -> Void) {
            state.withLock { state in
                state.targets.append(request.target)
                let answer = state.ready.removeValue(forKey: request.target)
                if answer == nil { state.waiting[request.target] = connection }
                return (answer, state.arrived)
            }
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
                let (answer, arrived) = shared.take(request, connection)
                arrived(request)
                if let answer, !connection.write(answer.bytes(to: request.method)) { return }
            }
        }
    }

    /// Where it is.
    package var url: String { server.url("") }

    /// What was asked for since the beginning, in order.
    package var targets: [String] { shared.state.withLock { $0.targets } }

    /// Forgets all that was asked for, and tells from now on of each request that has come, on a thread of its own.
    package func begin(_ arrived: @escaping @Sendable (ReceivedRequest) -> Void) {
        shared.state.withLock { $0 = Shared.State(arrived: arrived) }
    }

    /// Answers the request with this target: at once where it waits, otherwise when it comes.
    package func answer(_ target: String, _ answer: ServerResponse) {
        let connection = shared.state.withLock { state -> LoopbackConnection? in
            if let waiting = state.waiting.removeValue(forKey: target) { return waiting }
            state.ready[target] = answer
            return nil
        }
        connection?.write(answer.bytes(to: "GET"))
    }

    /// Ends the server.
    package func stop() { server.stop() }
}
