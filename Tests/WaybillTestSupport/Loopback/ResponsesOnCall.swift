import Synchronization

/// A server that sends each response on demand. It must be stopped.
package final class ResponsesOnCall: Sendable {
    /// The state that the server's threads and the tests share.
    private final class Shared: Sendable {
        struct State {
            /// The connections of requests that wait for a response, by target.
            var waiting: [String: LoopbackConnection] = [:]
            /// The responses to requests that have not arrived.
            var ready: [String: ServerResponse] = [:]
            var targets: [String] = []
            var arrived: @Sendable (ReceivedRequest) -> Void = { _ in }
        }

        let state = Mutex(State())

        /// Records a request.
        ///
        /// - Returns: its response if that was provided first, and the function to call.
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

    /// The URL of the server.
    package var url: String { server.url("") }

    /// The targets of the requests since `begin`, in order.
    package var targets: [String] { shared.state.withLock { $0.targets } }

    /// Forgets all requests, and from now on calls a function for each request that arrives, on a separate thread.
    package func begin(_ arrived: @escaping @Sendable (ReceivedRequest) -> Void) {
        shared.state.withLock { $0 = Shared.State(arrived: arrived) }
    }

    /// Responds to the request with this target: immediately if it is waiting, otherwise when it arrives.
    package func answer(_ target: String, _ answer: ServerResponse) {
        let connection = shared.state.withLock { state -> LoopbackConnection? in
            if let waiting = state.waiting.removeValue(forKey: target) { return waiting }
            state.ready[target] = answer
            return nil
        }
        connection?.write(answer.bytes(to: "GET"))
    }

    /// Stops the server.
    package func stop() { server.stop() }
}
