import Synchronization
import WaybillRuntime

/// Responds to requests with examples, over HTTP/1.1 on the loopback interface.
package final class MockServer: Sendable {
    /// The header field with which a run names the route whose examples are the responses to a request: its number, from 0.
    package static let exampleField = "Waybill-Example"

    /// A request with a summary of its response.
    package struct Exchange: Sendable, Equatable {
        /// The request's method.
        package var method: String
        /// The request's target as it was sent, with its query.
        package var target: String
        /// The host that the request is for; empty if it named none.
        package var host: String
        /// The path of the route that matched; nil if none did.
        package var route: PathPattern?
        /// The response's status.
        package var status: Int
    }

    /// The limits of a request. One that exceeds them is refused.
    package struct Limits: Sendable {
        /// The memory of a connection in bytes, for the header of a request and that of its response. A larger header is
        /// refused with 431, a larger target with 414, and the connection is closed.
        package var head = 256 * 1024
        /// The maximum size of a body in bytes. A larger one is refused with 413.
        package var body = 1024 * 1024 * 1024
        /// The maximum size of a body that is compared with those of routes, in bytes. A larger one equals none of them.
        package var comparedBody = 16 * 1024 * 1024
        /// How long a connection may be idle, in whole seconds.
        package var idle = Duration.seconds(60)

        package init() {}
    }

    private let responder: Responder
    private let limits: Limits
    private let onRequest: @Sendable (Exchange) -> Void
    /// The daemon, and the thread that accepts its connections until a signal.
    private let running = Mutex<(daemon: Daemon, signal: WakeUp, thread: SystemThread<Void>)?>(nil)

    /// Creates a server that does not listen yet.
    ///
    /// - Parameter onRequest: Called for every response just before it is sent, on a thread of the server: it must
    ///   return quickly.
    package init(
        routes: [MockRoute],
        limits: Limits = Limits(),
        onRequest: @escaping @Sendable (Exchange) -> Void = { _ in }
    ) {
        responder = Responder(routes)
        self.limits = limits
        self.onRequest = onRequest
    }

    /// Starts listening, on a free port if none is given.
    ///
    /// - Returns: the port.
    /// - Throws: `MockServerError` if the host is not on the loopback interface, the port is in use, or the server is
    ///   already running.
    package func start(host: String = "127.0.0.1", port: Int = 0) throws(MockServerError) -> Int {
        guard let number = UInt16(exactly: port) else { throw MockServerError("\(port) is not the number of a port") }
        guard host.hasPrefix("127.") else {
            throw MockServerError("the mock server listens on the loopback interface only, not on '\(host)'")
        }
        return try running.withLock { running throws(MockServerError) in
            if running != nil { throw MockServerError("the mock server is already running") }
            do throws(SystemError) {
                let signal = try WakeUp()
                let daemon = try Daemon(responder, limits, host: host, port: number, onRequest: onRequest)
                let thread = try SystemThread { daemon.acceptConnections(until: signal) }
                running = (daemon, signal, thread)
                return unsafe Int(daemon.port)
            } catch {
                throw MockServerError("the mock server cannot listen on \(host):\(port): \(error)")
            }
        }
    }

    /// Stops listening and closes all connections; requests in flight get no response.
    package func stop() async {
        let stopped = running.withLock { $0.take() }
        await stopped?.daemon.endDelays()
        stopped?.signal.signal()
        await stopped?.thread.join()
    }
}

/// An error of the mock server.
package struct MockServerError: Error, Equatable, CustomStringConvertible {
    /// Why the mock server cannot start or listen, in one sentence without a full stop.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
