import Synchronization
import WaybillPlatform

/// A server on 127.0.0.1 that runs a script, with a thread for each connection. It must be stopped;
/// `LoopbackServer.run` does this.
package final class LoopbackServer: Sendable {
    private struct State {
        var requests: [ReceivedRequest] = []
        var connections: [LoopbackConnection] = []
        var connectionCount = 0
        var threads: [ThreadHandle] = []
        var acceptor: ThreadHandle?
        var isStopped = false
    }

    /// The port that the system chose.
    package let port: Int

    private let listener: Int32
    private let script: @Sendable (LoopbackConnection) -> Void
    private let state = Mutex(State())

    /// Starts a server that runs the script for each connection, and closes the connection when the script returns.
    package init(script: @escaping @Sendable (LoopbackConnection) -> Void) throws {
        (listener, port) = try LoopbackSocket.listening()
        self.script = script
        let acceptor = try ThreadHandle { self.acceptConnections() }
        state.withLock { $0.acceptor = acceptor }
    }

    /// Starts a server that responds to every request, and keeps connections as long as the client does.
    package convenience init(answer: @escaping @Sendable (ReceivedRequest) -> ServerResponse) throws {
        try self.init { connection in
            while let request = connection.readRequest() {
                guard connection.write(answer(request).bytes(to: request.method)) else { return }
            }
        }
    }

    /// Starts a server with a script, uses it, and stops it.
    package static func run<Result>(
        script: @escaping @Sendable (LoopbackConnection) -> Void,
        _ body: (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        let server = try LoopbackServer(script: script)
        return try await ThreadHandle.run {
            try await body(server)
        } finally: {
            server.stop()
        }
    }

    /// Starts a server that responds to every request, uses it, and stops it.
    package static func run<Result>(
        answer: @escaping @Sendable (ReceivedRequest) -> ServerResponse,
        _ body: (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        let server = try LoopbackServer(answer: answer)
        return try await ThreadHandle.run {
            try await body(server)
        } finally: {
            server.stop()
        }
    }

    /// The URL of a path (with its query) on this server.
    package func url(_ path: String = "/") -> String {
        "http://127.0.0.1:\(port)\(path)"
    }

    /// The requests so far, in the order in which they were read.
    package var requests: [ReceivedRequest] { state.withLock { $0.requests } }

    /// How many connections have been accepted.
    package var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// Ends all connections and threads. Later calls do nothing.
    package func stop() {
        let acceptor = state.withLock { state in
            state.isStopped = true
            defer { state.acceptor = nil }
            return state.acceptor
        }
        guard let acceptor else { return }
        // Wakes the accepting thread: on Linux `shutdown` does, even if no connection can be made; elsewhere a
        // connection does.
        shutdown(listener, Int32(SHUT_RDWR))
        LoopbackSocket.touch(port: port)
        acceptor.join()
        close(listener)
        let (connections, threads) = state.withLock { state in
            // They retain the server, and otherwise would do so forever.
            defer { (state.connections, state.threads) = ([], []) }
            return (state.connections, state.threads)
        }
        for connection in connections { connection.interrupt() }
        for thread in threads { thread.join() }
    }

    private func acceptConnections() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard !state.withLock({ $0.isStopped }) else {
                if descriptor >= 0 { close(descriptor) }
                return
            }
            guard descriptor >= 0 else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let connection = state.withLock { state in
                let connection = LoopbackConnection(descriptor: descriptor, number: state.connectionCount) {
                    request in
                    self.state.withLock { $0.requests.append(request) }
                }
                state.connections.append(connection)
                state.connectionCount += 1
                return connection
            }
            let thread = try? ThreadHandle {
                self.script(connection)
                connection.close()
            }
            guard let thread else {
                connection.reset()
                continue
            }
            state.withLock { $0.threads.append(thread) }
        }
    }
}
