import Synchronization
import Testing
import WaybillRuntime
import WaybillTestSupport

@testable import WaybillTransport

/// Faults of servers and networks, and where they are tested. Each causes its kind of failure, and none takes more time
/// or memory than the request allows.
///
/// | fault | kind | test |
/// |---|---|---|
/// | connection refused, network unreachable | connect | here: `a refused connection…`, `an unreachable address…` |
/// | no response to the attempt to connect | timeout | here: `a connection that is not established…` |
/// | name not found | dns | here: `a name that does not exist…` |
/// | certificate expired, for another host, self-signed | tls | `TLSTests`: `a bad certificate is refused…` |
/// | no pinned certificate | tls | `PinTests`: `a server must present a pinned…` |
/// | protocol too old, no TLS at all, handshake stalls | tls, timeout | `TLSTests`: `a server whose TLS…`; here |
/// | nothing sent after accepting, header drips or stalls, body stalls | timeout | here: the table |
/// | closed or reset before the header, in it, in the body | transfer | here: the table |
/// | short Content-Length, broken chunks, broken or cut compression | transfer | here; `AnswerTests`; `ContentDecoderTests` |
/// | decompression bomb, endless body | transfer | here: the table and `a decompression bomb…` |
/// | 100,000 fields, a field of 10 MB, endless header, trailers or 1xx | transfer | here: the table |
/// | not HTTP | transfer | here: the table |
/// | redirect loop, redirect to a file | transfer | `FollowingTests`: `a redirect loop ends at the limit…` |
/// | HTTP/2 connection aborted or closed with GOAWAY | transfer, or sent again | here: the tests of HTTP 2 |
/// | HTTP/1.1 that claims to be HTTP/2 | transfer | `KeptConnectionTests`, `HTTPVersionTests` |
/// | endless HTTP/2 frames that are not part of a response | transfer | `FloodTests` |
/// | kept connection closed | sent again once, or transfer | `KeptConnectionTests` |
/// | server does not read the body | timeout | here: the last test |
/// | CR or LF in a field, which is never sent | transfer | `RefusedRequestTests` |
/// | proxy refuses or is unreachable | connect | `ProxyTests` |
@Suite(.timeLimit(.minutes(5))) struct FaultTests {
    struct Expected: Sendable {
        var kind = TransportFailure.Kind.transfer
        let code: Int32
        let phase: TransportFailure.Phase
        let words: String
    }

    /// What is found in a header, or in several, with too many fields. libcurl 8.14 refuses the 5,001st.
    private static let tooManyFields =
        LibCurl.isAtLeast814 ? "more than 5000 header fields" : "larger than the limit of 262144 bytes"

    static let table: [ServerFault: Expected] = [
        .silent: Expected(kind: .timeout, code: 28, phase: .awaitingResponse, words: "no response from 127.0.0.1:"),
        .stallsInHeader: Expected(kind: .timeout, code: 28, phase: .receiving, words: "no complete response from"),
        .dripsHeader: Expected(kind: .timeout, code: 28, phase: .receiving, words: "no complete response from"),
        .stallsInBody: Expected(kind: .timeout, code: 28, phase: .receiving, words: "no complete response from"),
        .closesWithoutResponse: Expected(code: 52, phase: .awaitingResponse, words: "without a response"),
        .resetsBeforeResponse: Expected(code: 56, phase: .awaitingResponse, words: "reset"),
        .resetsInHeader: Expected(code: 56, phase: .receiving, words: "reset"),
        .resetsInBody: Expected(
            code: 56,
            phase: .receiving,
            words: "failed after the header of a response with the status 200: "
        ),
        .shortBody: Expected(code: 18, phase: .receiving, words: "in the middle of the response"),
        .brokenChunks: Expected(code: 8, phase: .receiving, words: "a chunk whose size is not a hexadecimal number"),
        .brokenGzip: Expected(code: 61, phase: .receiving, words: "does not match its Content-Encoding (gzip)"),
        .unknownCoding: Expected(code: 61, phase: .receiving, words: "the unknown content encoding waybill"),
        .endlessBody: Expected(code: 63, phase: .receiving, words: "larger than the limit of 100000 bytes"),
        .manyFields: Expected(code: 100, phase: .receiving, words: tooManyFields),
        .longField: Expected(code: 100, phase: .receiving, words: "a line of the response's header is larger than"),
        .endlessHeader: Expected(code: 100, phase: .receiving, words: tooManyFields),
        .endlessInformational: Expected(code: 100, phase: .receiving, words: tooManyFields),
        .endlessTrailers: Expected(code: 100, phase: .receiving, words: tooManyFields),
        .notHTTP: Expected(code: 1, phase: .awaitingResponse, words: "HTTP/0.9"),
    ]

    /// A duration of `withGrowingTime` in a message.
    private static var growingTime: Regex<(Substring, Substring)> { #/\b(300ms|3s|30s)\b/# }

    @Test(arguments: ServerFault.allCases)
    func `every server fault causes a failure of the expected kind`(_ fault: ServerFault) async throws {
        let expected = try #require(Self.table[fault])
        try await LoopbackServer.run(script: fault.script) { server in
            try await CurlTransport.run { transport in
                let isTimeout = expected.kind == .timeout
                let failed = await withGrowingTime { timeout -> TransportFailure? in
                    let request = HTTPRequest(
                        url: server.url(),
                        timeout: isTimeout ? timeout : .seconds(60),
                        maximumBodyBytes: 100_000
                    )
                    return await transport.send(request).failure
                } until: {
                    !isTimeout || $0?.phase == expected.phase
                }
                let failure = try #require(failed)
                #expect(failure.kind == expected.kind)
                #expect(failure.code == expected.code)
                #expect(failure.phase == expected.phase)
                #expect(failure.message.contains(expected.words), "\(failure.message)")
                #expect(failure.wasSent)
                #expect(failure.timings.total > .zero)
            }
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min), .milliseconds(1), .nanoseconds(1)])
    func `a timeout that is zero, negative or very short expires`(timeout: Duration) async throws {
        try await LoopbackServer.run(script: ServerFault.silent.script) { server in
            try await CurlTransport.run { transport in
                let failure = await transport.send(HTTPRequest(url: server.url(), timeout: timeout)).failure
                #expect(failure?.kind == .timeout)
            }
        }
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(86_400 * 365)])
    func `a very long timeout does not expire`(timeout: Duration) async throws {
        try await LoopbackServer.run(answer: { _ in .text("ok") }) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(url: server.url(), timeout: timeout, connectTimeout: timeout)
                #expect(await transport.send(request).response?.status == 200)
            }
        }
    }

    @Test func `a refused connection is a failure to connect`() async throws {
        let port = try LoopbackSocket.refusingPort()
        try await CurlTransport.run { transport in
            let failure = try #require(await transport.send(HTTPRequest(url: "http://127.0.0.1:\(port)/")).failure)
            #expect(failure.kind == .connect)
            #expect(failure.message == "could not connect to 127.0.0.1:\(port): connection refused")
            #expect(!failure.wasSent)
        }
    }

    @Test func `an unreachable address is a failure to connect`() async throws {
        try await CurlTransport.run { transport in
            let failure = try #require(await transport.send(HTTPRequest(url: "http://255.255.255.255/")).failure)
            #expect(failure.kind == .connect)
            #expect(failure.message == "could not connect to 255.255.255.255:80: network is unreachable")
            #expect(!failure.wasSent)
        }
    }

    @Test(arguments: [true, false])
    func `a decompression bomb ends the transfer when its time is over, or it is cancelled`(isCancelled: Bool)
        async throws
    {
        // Some kilobytes for 8 GB, in one call of libcurl.
        let script =
            "a=$(mktemp); head -c 10000000 /dev/zero | gzip -9 >$a; for _ in $(seq 800); do cat $a; done | gzip -9; rm $a"
        let bomb = try await Command.run("/bin/sh", ["-c", script]).output
        let answer = ServerResponse(headers: [("Content-Encoding", "gzip, gzip")], body: bomb)
        try await LoopbackServer.run(answer: { _ in answer }) { server in
            try await CurlTransport.run { transport in
                let url = server.url()
                let start = ContinuousClock.now
                let task = Task {
                    let timeout = Duration.milliseconds(isCancelled ? 60_000 : 400)
                    return await transport.send(HTTPRequest(url: url, timeout: timeout, maximumBodyBytes: 8 << 30))
                }
                try await Task.sleep(for: .milliseconds(400))
                if isCancelled { task.cancel() }
                #expect(await task.value.failure?.kind == (isCancelled ? .cancelled : .timeout))
                #expect(.now - start < .seconds(4))
            }
        }
    }

    @Test func `a decompression bomb ends the transfer at the limit of the body`() async throws {
        let bomb = try await Command.run("/bin/sh", ["-c", "head -c 200000000 /dev/zero | gzip -9"]).output
        let answer = ServerResponse(headers: [("Content-Encoding", "gzip")], body: bomb)
        try await LoopbackServer.run(answer: { _ in answer }) { server in
            try await CurlTransport.run { transport in
                let failure = try #require(await transport.send(HTTPRequest(url: server.url())).failure)
                #expect(failure.kind == .transfer)
                #expect(failure.message == "the body is larger than the limit of 67108864 bytes")
            }
        }
    }

    @Test(arguments: [
        (
            "in the middle of the body",
            [HTTP2Frame.settings, .ok, .init(.data, stream: 1, [1, 2]), .goAway(lastStream: 1, error: 0)]
        ),
        ("before a response", [.settings, .goAway(lastStream: 1, error: 2)]),
        ("with a reset stream", [.settings, .ok, .init(.reset, stream: 1, [0, 0, 0, 2])]),
        (
            "with a stream that is reset without an error",
            [.settings, .ok, .init(.data, stream: 1, [1, 2]), .init(.reset, stream: 1, [0, 0, 0, 0])]
        ),
        (
            "with a frame that is not permitted",
            [.settings, .ok, .init(.data, stream: 1, [1, 2]), .init(.settings, stream: 1)]
        ),
        ("with nonsense", [.settings, .init(.headers, flags: 4, stream: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])]),
    ])
    func `an HTTP 2 connection that is aborted is a failure of the transfer`(
        moment: String,
        frames: [HTTP2Frame]
    ) async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            guard connection.readHTTP2Request() else { return }
            connection.write(frames)
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(method: "POST", url: server.url()).with {
                    $0.version = .http2PriorKnowledge
                }
                let result = await transport.send(request)
                // docs/libcurl.md: only the streams of earlier versions are observed.
                if moment.hasSuffix("without an error"), LibCurl.version >= 0x080000 { return }
                let failure = try #require(result.failure)
                #expect(failure.kind == .transfer, "\(failure)")
                #expect(failure.wasSent)
                #expect(server.connectionCount == 1)
            }
        }
    }

    @Test(
        .enabled(if: LibCurl.version < 0x080000, "docs/libcurl.md: only the streams of earlier versions are observed")
    )
    func `an HTTP 2 response that does not wait for the body of its request is the response`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            guard connection.readHTTP2Request() else { return }
            connection.write([.settings, .ok, .init(.data, stream: 1, [1]), .init(.data, flags: 1, stream: 1, [2])])
            connection.waitForEnd()
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(method: "POST", url: server.url()).with {
                    $0.version = .http2PriorKnowledge
                }
                for body in [[UInt8](repeating: 1, count: 300_000), [1]] {
                    var request = request
                    request.body = .bytes(body)
                    let result = await transport.send(request)
                    #expect(result.response?.body == [1, 2], "\(result)")
                }
            }
        }
    }

    @Test(arguments: [
        [HTTP2Frame(.data, flags: 1, stream: 1, [7])],
        [.init(.data, stream: 1, [7]), .init(.data, flags: 1, stream: 1)],
        // A trailer field, without an index.
        [.init(.data, stream: 1, [7]), .init(.headers, flags: 5, stream: 1, [0, 1, 97, 1, 98])],
        [.init(.data, flags: 1, stream: 1, [7]), .init(.reset, stream: 1, [0, 0, 0, 0])],
    ])
    func `an HTTP 2 response is complete when its stream ends`(frames: [HTTP2Frame]) async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            guard connection.readHTTP2Request() else { return }
            connection.write([.settings, .ok] + frames)
            connection.waitForEnd()
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(url: server.url()).with { $0.version = .http2PriorKnowledge }
                let result = await transport.send(request)
                #expect(result.response?.body == [7], "\(result)")
            }
        }
    }

    /// Sends GOAWAY on the first HTTP/2 connection without processing its request, and responds on the next one.
    static func takeLeave(_ connection: LoopbackConnection) {
        guard connection.number > 0 else {
            connection.write([.settings, .goAway(lastStream: 0, error: 0)])
            return connection.waitForEnd()
        }
        connection.write([.settings, .ok, .init(.data, flags: 1, stream: 1, [7])])
        connection.waitForEnd()
    }

    @Test(arguments: ["GET", "PUT", "POST", "PATCH"])
    func `after GOAWAY on HTTP 2, only an idempotent request is sent again, and only once`(
        method: String
    ) async throws {
        let requests = Mutex(0)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            guard connection.readHTTP2Request() else { return }
            requests.withLock { $0 += 1 }
            Self.takeLeave(connection)
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(method: method, url: server.url()).with { $0.version = .http2PriorKnowledge }
                let result = await transport.send(request)
                if request.isIdempotent {
                    #expect(result.response?.body == [7], "\(result)")
                    #expect(requests.withLock({ $0 }) == 2)
                    #expect(server.connectionCount == 2)
                } else {
                    #expect(result.failure?.kind == .transfer, "\(result)")
                    #expect(result.failure?.wasSent == true)
                    // libcurl 8.14 makes another connection before it asks whether to send again.
                    #expect(server.connectionCount <= (LibCurl.isAtLeast814 ? 2 : 1))
                    #expect(requests.withLock({ $0 }) == 1)
                }
            }
        }
    }

    @Test func `a server that always sends GOAWAY is not retried forever`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            guard connection.readHTTP2Request() else { return }
            connection.write([.settings, .goAway(lastStream: 0, error: 0)])
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(url: server.url()).with { $0.version = .http2PriorKnowledge }
                #expect(await transport.send(request).failure?.kind == .transfer)
                #expect(server.connectionCount <= 3)
            }
        }
    }

    @Test(arguments: [
        ("GET", "the request was already sent twice"), ("POST", "POST is not idempotent, so it was not sent again"),
    ])
    func `a server that refuses HTTP 2 streams is named as the cause`(method: String, end: String) async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            guard connection.readHTTP2Request() else { return }
            connection.write([.settings, .init(.reset, stream: 1, [0, 0, 0, 7])])
            connection.waitForEnd()
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(method: method, url: server.url()).with { $0.version = .http2PriorKnowledge }
                let failure = try #require(await transport.send(request).failure)
                #expect(failure.kind == .transfer)
                #expect(
                    failure.message
                        == "127.0.0.1:\(server.port) refused the request or closed the HTTP/2 connection without a response; "
                        + end
                )
            }
        }
    }

    @Test func `a name that does not exist is a failure to resolve`() async throws {
        // A label of more than 63 characters is refused by the resolver itself.
        let name = String(repeating: "a", count: 64) + ".test"
        try await CurlTransport.run { transport in
            let failure = try #require(await transport.send(HTTPRequest(url: "http://\(name)/")).failure)
            #expect(failure.kind == .dns)
            #expect(failure.phase == .resolving)
            #expect(failure.message == "could not resolve the host name \(name)")
            #expect(!failure.wasSent)
        }
    }

    @Test func `a server without TLS is a TLS failure`() async throws {
        try await LoopbackServer.run(script: { $0.write("HTTP/1.1 400 Bad\r\n\r\n") }) { server in
            try await CurlTransport.run { transport in
                let failure = try #require(
                    await transport.send(HTTPRequest(url: "https://127.0.0.1:\(server.port)/")).failure
                )
                #expect(failure.kind == .tls)
                #expect(failure.phase == .securing)
                #expect(!failure.wasSent)
            }
        }
    }

    @Test func `a connection that is not established ends at the connect timeout`() async throws {
        let port = try LoopbackSocket.unresponsivePort()
        try await CurlTransport.run { transport in
            let failed = await withGrowingTime { time in
                await transport.send(HTTPRequest(url: "http://127.0.0.1:\(port)/", connectTimeout: time)).failure
            } until: {
                $0?.phase == .connecting
            }
            let failure = try #require(failed)
            #expect(failure.kind == .timeout)
            #expect(failure.phase == .connecting)
            let words = failure.message.replacing(Self.growingTime, with: "TIME")
            #expect(words == "no connection was established within TIME (127.0.0.1:\(port))")
            #expect(!failure.wasSent)
        }
    }

    @Test func `a TLS handshake that stalls ends at the connect timeout`() async throws {
        try await LoopbackServer.run(script: { $0.waitForEnd() }) { server in
            try await CurlTransport.run { transport in
                let url = "https://127.0.0.1:\(server.port)/"
                let failed = await withGrowingTime { time in
                    await transport.send(HTTPRequest(url: url, connectTimeout: time)).failure
                } until: {
                    $0?.phase == .securing
                }
                let failure = try #require(failed)
                #expect(failure.kind == .timeout)
                #expect(failure.phase == .securing)
                let words = failure.message.replacing(Self.growingTime, with: "TIME")
                #expect(words == "the TLS handshake did not finish within TIME (127.0.0.1:\(server.port))")
                #expect(!failure.wasSent)
            }
        }
    }

    @Test func `a large body that the server does not read ends at the timeout while sending`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { $0.waitUntilInterrupted() }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let body = HTTPRequest.Body.bytes([UInt8](repeating: 7, count: 32 << 20))
                let failed = await withGrowingTime { timeout in
                    await transport.send(
                        HTTPRequest(method: "POST", url: server.url(), body: body, timeout: timeout)
                    ).failure
                } until: {
                    $0?.phase == .sending
                }
                let failure = try #require(failed)
                #expect(failure.kind == .timeout)
                #expect(failure.phase == .sending)
                #expect(failure.wasSent)
            }
        }
    }
}
