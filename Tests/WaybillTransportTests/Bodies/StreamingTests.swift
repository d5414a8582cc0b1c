import Synchronization
import Testing
import WaybillRuntime
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct StreamingTests {
    static let large = RequestBodyTests.large

    @Test func `a body is received piece by piece, after its header`() async throws {
        try await LoopbackServer.run(answer: { _ in ServerResponse(headers: [("X-A", "1")], body: Self.large) }) {
            server in
            try await CurlTransport.run { transport in
                let collector = Collector()
                let request = HTTPRequest(url: server.url(), maximumBodyBytes: 10)
                let response = try await transport.send(request, monitor: nil, receiver: collector).get()
                #expect(response.body.isEmpty)
                #expect(response.status == 200)
                #expect(response.headers.first(named: "X-A") == "1")
                #expect(collector.got.heads.map(\.status) == [200])
                #expect(collector.got.heads[0].headers.first(named: "x-a") == "1")
                #expect(isSame(collector.got.bytes, Self.large))
                #expect(await transport.send(HTTPRequest(url: server.url())).response?.reusedConnection == true)
            }
        }
    }

    @Test(arguments: ["HEAD", "GET"])
    func `a response without a body is reported with its header too`(method: String) async throws {
        try await LoopbackServer.run(answer: { _ in ServerResponse(status: 204) }) { server in
            try await CurlTransport.run { transport in
                let collector = Collector()
                let request = HTTPRequest(method: method, url: server.url())
                let result = await transport.send(request, monitor: nil, receiver: collector)
                #expect(result.response?.status == 204)
                #expect(collector.got.heads.map(\.status) == [204])
                #expect(collector.got.count == 0)
            }
        }
    }

    @Test func `a body that the receiver does not take becomes part of the response, up to its limit`() async throws {
        try await LoopbackServer.run(answer: { _ in ServerResponse(status: 404, body: Self.large) }) { server in
            try await CurlTransport.run { transport in
                let collector = Collector(use: { $0.status == 200 ? .receive : .collect })
                let request = HTTPRequest(url: server.url(), maximumBodyBytes: Self.large.count)
                let result = await transport.send(request, monitor: nil, receiver: collector)
                #expect(isSame(result.response?.body, Self.large))
                #expect(collector.got.count == 0)
                var limited = request
                limited.maximumBodyBytes -= 1
                let failure = await transport.send(limited, monitor: nil, receiver: collector).failure
                #expect(failure?.code == 63)
                #expect(failure?.kind == .transfer)
            }
        }
    }

    @Test func `a decompression bomb is received in small pieces, as fast as its receiver takes them`() async throws {
        let bomb = try await Command.run("/bin/sh", ["-c", "head -c 100000000 /dev/zero | gzip -9"]).output
        let answer = ServerResponse(headers: [("Content-Encoding", "gzip")], body: bomb)
        try await LoopbackServer.run(answer: { _ in answer }) { server in
            try await CurlTransport.run { transport in
                let collector = Collector(take: { _ in
                    await Task.yield()
                    return true
                })
                let result = await transport.send(HTTPRequest(url: server.url()), monitor: nil, receiver: collector)
                #expect(result.response?.status == 200)
                #expect(collector.got.count == 100_000_000)
                #expect(collector.got.largest <= 2 << 20)
            }
        }
    }

    @Test func `a receiver that refuses the rest of a body ends the transfer`() async throws {
        try await LoopbackServer.run(script: ServerFault.endlessBody.script) { server in
            try await CurlTransport.run { transport in
                let collector = Collector(take: { $0 < 5_000_000 })
                let failure = await transport.send(HTTPRequest(url: server.url()), monitor: nil, receiver: collector)
                    .failure
                #expect(failure?.kind == .cancelled)
                #expect(failure?.message == "the receiver refused the rest of the body")
                #expect((5_000_000..<8_000_000).contains(collector.got.count))
            }
        }
    }

    @Test(arguments: [ServerFault.silent, .stallsInBody])
    func `a server that stalls for too long ends the transfer before its timeout`(
        fault: ServerFault
    ) async throws {
        try await LoopbackServer.run(script: fault.script) { server in
            try await CurlTransport.run { transport in
                var request = HTTPRequest(url: server.url(), timeout: .seconds(600))
                request.options.stallTimeout = .seconds(1)
                let failure = await transport.send(request, monitor: nil, receiver: Collector()).failure
                #expect(failure?.kind == .timeout)
                #expect(failure?.message == "nothing was received from 127.0.0.1:\(server.port) for 1s")
            }
        }
    }

    @Test func `a slow receiver pauses the server and the timeout of the transfer`() async throws {
        let total = 96 << 20
        let (result, heldAt, received) = try await withGrowingTime(from: .milliseconds(400)) { timeout in
            try await self.result(ofSlowReceiverOf: total, within: timeout)
        } until: { result, _, received in
            result.failure == nil || received > 2 << 20
        }
        // Until then, the server has sent only what fits into the buffers of both ends.
        #expect((1..<(48 << 20)).contains(heldAt))
        if let failure = result.failure {
            // The rest may take longer than the time that is left, but some of it must have been received.
            #expect(failure.kind == .timeout)
            #expect(received > 2 << 20)
        } else {
            #expect(received == total)
        }
    }

    /// The result of a transfer whose receiver takes nothing until the server is blocked for longer than the timeout,
    /// the number of bytes that the server had sent by then, and the number that was received in the end.
    private func result(
        ofSlowReceiverOf total: Int,
        within timeout: Duration
    ) async throws -> (Result<HTTPResponse, TransportFailure>, heldAt: Int, received: Int) {
        let (heldUp, signal) = AsyncStream.makeStream(of: Int.self)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            let block = [UInt8](repeating: 7, count: 1 << 20)
            var sent = connection.writeUntilHeldUp(block, for: timeout * 1.25, limit: total)
            signal.yield(sent)
            while sent < total && connection.write(Array(block.prefix(total - sent))) {
                sent += min(block.count, total - sent)
            }
            connection.waitForEnd()
        }
        return try await LoopbackServer.run(script: script) { server in
            return try await CurlTransport.run { transport in
                let waited = Mutex(0)
                let collector = Collector(take: { _ in
                    guard waited.withLock({ $0 }) == 0 else { return true }
                    let sent = await heldUp.first { _ in true } ?? 0
                    waited.withLock { $0 = sent }
                    return true
                })
                let request = HTTPRequest(url: server.url(), timeout: timeout)
                let result = await transport.send(request, monitor: nil, receiver: collector)
                return (result, waited.withLock { $0 }, collector.got.count)
            }
        }
    }

    @Test func `a stream ends at its timeout when the server stalls`() async throws {
        try await LoopbackServer.run(script: ServerFault.stallsInBody.script) { server in
            try await CurlTransport.run { transport in
                let (failure, got) = await withGrowingTime { timeout in
                    let collector = Collector()
                    let request = HTTPRequest(url: server.url(), timeout: timeout)
                    let result = await transport.send(request, monitor: nil, receiver: collector)
                    return (result.failure, collector.got)
                } until: { _, got in
                    got.count == 5
                }
                #expect(failure?.kind == .timeout)
                #expect(failure?.phase == .receiving)
                #expect(got.bytes == Array("12345".utf8))
            }
        }
    }

    @Test func `a stream that is cancelled ends at once`() async throws {
        try await LoopbackServer.run(script: ServerFault.stallsInBody.script) { server in
            try await CurlTransport.run { transport in
                let (received, signal) = AsyncStream.makeStream(of: Void.self)
                let collector = Collector(take: { _ in
                    signal.yield()
                    return true
                })
                let task = Task {
                    await transport.send(HTTPRequest(url: server.url()), monitor: nil, receiver: collector)
                }
                _ = await received.first { _ in true }
                task.cancel()
                #expect(await task.value.failure?.kind == .cancelled)
            }
        }
    }

    @Test(.enabled(if: NginxServer.isWanted, "nginx is not installed"))
    func `a stream uses HTTP 1 if the version is automatic`() async throws {
        let certificates = try await TLSTests.certificates.value
        let directives = certificates.directives(.valid) + "location / { return 200 $server_protocol; }"
        try await NginxServer.run(directives, listen: "ssl http2") { server in
            try await CurlTransport.run { transport in
                for (version, expected) in [
                    (HTTPVersion.auto, "HTTP/1.1"), (.http2PriorKnowledge, "HTTP/2.0"),
                ] {
                    let collector = Collector()
                    let request = HTTPRequest(url: "https://127.0.0.1:\(server.port)/").with {
                        $0.version = version
                        $0.tls.certificateAuthorities = certificates.file("ca.pem")
                    }
                    _ = try await transport.send(request, monitor: nil, receiver: collector).get()
                    #expect(String(decoding: collector.got.bytes, as: UTF8.self) == expected)
                }
            }
        }
    }
}
