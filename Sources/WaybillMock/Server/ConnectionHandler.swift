import NIOCore
import NIOHTTP1

/// Handles the requests of one connection, one after another: the channel pipeline holds the next one back until a
/// response is complete.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The request whose body is being read.
    private struct Request {
        var head: HTTPRequestHead
        var bodyLength = 0
        /// The body, if the response depends on it.
        var body: [UInt8] = []
    }

    private let responder: Responder
    private let bodyLimit: Int
    private let onRequest: @Sendable (MockServer.Exchange) -> Void
    private var request: Request?
    /// A request that waits for its response until the client has read enough of the earlier ones. Until then the
    /// pipeline does not pass on another request, and nothing more is read.
    private var held: Request?
    private var pendingAnswer: Scheduled<Void>?

    init(_ responder: Responder, bodyLimit: Int, _ onRequest: @escaping @Sendable (MockServer.Exchange) -> Void) {
        self.responder = responder
        self.bodyLimit = bodyLimit
        self.onRequest = onRequest
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = Request(head: head)
            if head.headers[canonicalForm: "expect"].contains("100-continue") {
                let goOn = HTTPResponseHead(version: head.version, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(goOn)), promise: nil)
            }
        case .body(let bytes):
            // After a refusal, the rest is only read.
            request?.bodyLength += bytes.readableBytes
            if responder.comparesBodies { request?.body += Array(bytes.readableBytesView) }
            guard let refused = request, refused.bodyLength > bodyLimit else { return }
            request = nil
            refuseBody(of: refused.head, context)
        case .end:
            guard let complete = request else { return }
            request = nil
            guard context.channel.isWritable else {
                held = complete
                return
            }
            answer(complete, context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let request = held {
            held = nil
            answer(request, context)
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that is waiting for a delayed example is not idle.
        if event is IdleStateHandler.IdleStateEvent, pendingAnswer == nil { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        pendingAnswer?.cancel()
        pendingAnswer = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ request: Request, _ context: ChannelHandlerContext) {
        let head = request.head
        let target = RequestTarget(head.uri, hostHeader: head.headers.first(name: "host"))
        let response = responder.response(
            method: head.method.rawValue,
            target,
            body: request.body,
            example: head.headers.first(name: MockServer.exampleField).flatMap { Int($0) }
        )
        let delay = TimeAmount(response.answer.delay)
        guard delay > .zero else { return send(response, target, head, context) }
        pendingAnswer = context.eventLoop.assumeIsolated().scheduleTask(in: delay) {
            self.pendingAnswer = nil
            self.send(response, target, head, context)
        }
    }

    private func refuseBody(of head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let target = RequestTarget(head.uri, hostHeader: head.headers.first(name: "host"))
        let answer = MockResponse.problem(413, "the body exceeds the mock server's limit of \(bodyLimit) bytes")
        send(Responder.Response(answer: answer, route: nil), target, head, context, thenClose: true)
    }

    private func send(
        _ response: Responder.Response,
        _ target: RequestTarget,
        _ request: HTTPRequestHead,
        _ context: ChannelHandlerContext,
        thenClose: Bool = false
    ) {
        onRequest(
            MockServer.Exchange(
                method: request.method.rawValue,
                target: request.uri,
                host: target.host,
                route: response.route?.path,
                status: response.answer.status
            )
        )
        let isLast = thenClose || !request.isKeepAlive
        context.write(wrapOutboundOut(.head(responseHead(response.answer, request, isLast))), promise: nil)
        if request.method != .HEAD, response.answer.status != 204, response.answer.status != 304 {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: response.answer.body)))), promise: nil)
        }
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        if isLast { written.assumeIsolated().whenComplete { _ in context.close(promise: nil) } }
    }

    private func responseHead(_ answer: MockResponse, _ request: HTTPRequestHead, _ isLast: Bool) -> HTTPResponseHead {
        let ours: Set<String> = ["content-length", "transfer-encoding", "connection"]
        var headers = HTTPHeaders(
            answer.headers.filter { !ours.contains($0.name.lowercased()) }.map { ($0.name, $0.value) }
        )
        if answer.status != 204, answer.status != 304 {
            headers.add(name: "Content-Length", value: String(answer.body.count))
        }
        if isLast {
            headers.add(name: "Connection", value: "close")
        } else if request.version == .http1_0 {
            headers.add(name: "Connection", value: "keep-alive")
        }
        return HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: answer.status),
            headers: headers
        )
    }
}
