import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import WaybillPlatform
import WaybillRuntime

/// Responds to requests with examples, over HTTP/1.1 on the loopback interface.
package final class MockServer: Sendable {
    /// The header field with which a run names the route whose examples answer a request: its number, from 0.
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

    /// The limits of a request. One that exceeds them is refused and its connection closed.
    package struct Limits: Sendable {
        /// The maximum size of a header field or of the target in bytes. Larger ones are refused with 400.
        package var headField = 32 * 1024
        /// The maximum number of header fields. More are refused with 400.
        package var headFields = 200
        /// The maximum size of a body in bytes. A body is read and discarded; a larger one is refused with 413.
        package var body = 1024 * 1024 * 1024
        /// How long a connection may be idle.
        package var idle = Duration.seconds(60)

        /// Creates the default limits.
        package init() {}
    }

    private enum State {
        case idle
        case running(MultiThreadedEventLoopGroup)
    }

    private let responder: Responder
    private let limits: Limits
    private let onRequest: @Sendable (Exchange) -> Void
    private let state = Mutex(State.idle)

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
    package func start(host: String = "127.0.0.1", port: Int = 0) async throws -> Int {
        guard Self.isLoopback(host) else {
            throw MockServerError("the mock server listens on the loopback interface only, not on '\(host)'")
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let isFirst = state.withLock { state in
            guard case .idle = state else { return false }
            state = .running(group)
            return true
        }
        guard isFirst else {
            try await group.shutdownGracefully()
            throw MockServerError("the mock server is already running")
        }
        do {
            let channel = try await bootstrap(group).bind(host: host, port: port).get()
            return channel.localAddress?.port ?? port
        } catch {
            await stop()
            let reason = (error as? IOError).map { "\(SystemError($0.errnoCode))" } ?? "\(error)"
            throw MockServerError("the mock server cannot listen on \(host):\(port): \(reason)")
        }
    }

    /// Stops listening and closes all connections; requests in flight get no response.
    package func stop() async {
        let group = state.withLock { state -> MultiThreadedEventLoopGroup? in
            guard case .running(let group) = state else { return nil }
            state = .idle
            return group
        }
        // The only error is that the group has been shut down before.
        try? await group?.shutdownGracefully()
    }

    private func bootstrap(_ group: MultiThreadedEventLoopGroup) -> ServerBootstrap {
        var decoderLimits = NIOHTTPDecoderLimitConfiguration()
        decoderLimits.maxHeaderFieldSize = limits.headField
        decoderLimits.maxHeaderFieldCount = limits.headFields
        return ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause())
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [decoderLimits, limits, responder, onRequest] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(allTimeout: TimeAmount(limits.idle)))
                    try pipeline.configureHTTPServerPipeline(
                        withEncoderConfiguration: HTTPResponseEncoder.Configuration(),
                        withDecoderLimitConfiguration: decoderLimits
                    )
                    try pipeline.addHandler(ConnectionHandler(responder, bodyLimit: limits.body, onRequest))
                }
            }
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        guard case .v4? = try? SocketAddress(ipAddress: host, port: 0) else { return false }
        return host.hasPrefix("127.")
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

/// Pauses a server that has no descriptor, or not enough memory, for a waiting connection. The connection stays ready
/// to be accepted, so otherwise the server would retry endlessly and use a whole processor.
///
/// NIO's own `AcceptBackoffHandler` only delays reads that have not been requested yet; the socket stays registered for
/// the one that failed.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = Channel

    private static let duration = TimeAmount.milliseconds(100)

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        // Fails only if the channel is closed, and then there is nothing to accept.
        let options = context.channel.syncOptions
        try? options?.setOption(.autoRead, value: false)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.duration) {
            try? options?.setOption(.autoRead, value: true)
        }
    }
}
