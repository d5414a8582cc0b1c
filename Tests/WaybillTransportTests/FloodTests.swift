import Testing
import WaybillRuntime
import WaybillTestSupport

@testable import WaybillTransport

/// Servers that keep an HTTP/2 connection busy with frames that are not part of a response (`CallWatch`).
@Suite(.timeLimit(.minutes(5))) struct FloodTests {
    /// The frames that libcurl lets a server send endlessly.
    enum Flood: CaseIterable {
        case emptyData, priority, windowUpdate, unknown

        var frame: HTTP2Frame {
            switch self {
            case .emptyData: HTTP2Frame(.data, stream: 1)
            case .priority: HTTP2Frame(.priority, stream: 1, [0, 0, 0, 0, 16])
            case .windowUpdate: HTTP2Frame(.windowUpdate, [0, 0, 0, 1])
            case .unknown: HTTP2Frame(.unknown, [0])
            }
        }
    }

    /// Starts a server that sends these frames after the head of its response until the client ends the connection (and
    /// 4 GB at most), and reports when it has sent the first of them.
    static func run(
        _ flood: Flood,
        _ body: (LoopbackServer, _ untilFlooded: () async -> Void) async throws -> Void
    ) async throws {
        let (stream, floods) = AsyncStream.makeStream(of: Void.self)
        let frames = [[UInt8]](repeating: flood.frame.bytes, count: 100_000).flatMap(\.self)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            guard connection.readHTTP2Request() else { return }
            connection.write([.settings, .ok])
            defer { floods.finish() }
            for _ in 0..<(4_000_000_000 / frames.count) {
                guard connection.write(frames) else { return }
                floods.yield()
            }
        }
        try await LoopbackServer.run(script: script) { server in
            try await body(server) {
                for await _ in stream { break }
            }
        }
    }

    static func request(to server: LoopbackServer, timeout: Duration = .seconds(600)) -> HTTPRequest {
        HTTPRequest(url: server.url(), timeout: timeout).with { $0.version = .http2PriorKnowledge }
    }

    @Test(arguments: Flood.allCases)
    func `a server that sends frames without a response is cut off, and other requests proceed`(
        flood: Flood
    ) async throws {
        try await Self.run(flood) { server, untilFlooded in
            try await LoopbackServer.run(answer: { _ in .text("ok") }) { other in
                try await CurlTransport.run { transport in
                    // libcurl 8.14 returns from each call, so that the timeout expires.
                    let isCutOff = !LibCurl.isAtLeast814
                    async let flooded = transport.send(Self.request(to: server, timeout: .seconds(isCutOff ? 600 : 5)))
                    await untilFlooded()
                    let response = await transport.send(HTTPRequest(url: other.url())).response
                    #expect(response?.status == 200)
                    let failure = try #require(await flooded.failure)
                    #expect(failure.kind == (isCutOff ? .transfer : .timeout))
                    #expect(
                        failure.message
                            == (isCutOff
                                ? "127.0.0.1:\(server.port) kept sending data without any part of a response, "
                                    + "such as empty HTTP/2 frames, so the connection was closed"
                                : "no complete response from 127.0.0.1:\(server.port) within 5s")
                    )
                    #expect(failure.wasSent)
                    #expect(server.connectionCount == 1)
                }
            }
        }
    }

    @Test func `a timeout expires while a server sends frames without a response`() async throws {
        try await Self.run(.emptyData) { server, _ in
            try await CurlTransport.run { transport in
                let failure = await transport.send(Self.request(to: server, timeout: .milliseconds(1))).failure
                #expect([.timeout, .transfer].contains(failure?.kind))
            }
        }
    }

    @Test func `a request can be cancelled while a server sends frames without a response`() async throws {
        try await Self.run(.priority) { server, untilFlooded in
            try await CurlTransport.run { transport in
                let task = Task { await transport.send(Self.request(to: server)) }
                await untilFlooded()
                task.cancel()
                let failure = await task.value.failure
                #expect([.cancelled, .transfer].contains(failure?.kind))
                #expect(server.connectionCount == 1)
            }
        }
    }
}
