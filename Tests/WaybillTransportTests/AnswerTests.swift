import Testing
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct AnswerTests {
    /// The parsed response of a server that sends exactly this.
    func answer(to method: String = "GET", _ text: String, end: Bool = true) async throws -> HTTPResponse {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            connection.write(text)
            if !end { connection.waitForEnd() }
        }
        return try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                try await transport.send(HTTPRequest(method: method, url: server.url("/a?b"))).get()
            }
        }
    }

    @Test func `status, reason, version, fields and body are read`() async throws {
        let response = try await answer(
            "HTTP/1.0 418 I'm a teapot\r\nX-A: 1\r\nx-a:  2 \r\nX-Empty:\r\nX-Ü: ä\r\n\r\nshort and stout"
        )
        #expect(response.status == 418)
        #expect(response.reason == "I'm a teapot")
        #expect(response.httpVersion == "1.0")
        #expect(response.headers.map(\.name) == ["X-A", "x-a", "X-Empty", "X-Ü"])
        #expect(response.headers.values(named: "X-a") == ["1", "2"])
        #expect(response.headers.first(named: "x-empty") == "")
        #expect(response.headers.first(named: "X-B") == nil)
        #expect(response.body == Array("short and stout".utf8))
        #expect(response.url.hasSuffix("/a?b"))
        #expect(response.remoteAddress?.host == "127.0.0.1")
        #expect(!response.reusedConnection)
    }

    @Test(arguments: [
        ("no reason", "HTTP/1.1 204\r\n\r\n", 204, "", ""),
        (
            "informational ones before it", "HTTP/1.1 103 Early\r\nX-A: 0\r\n\r\nHTTP/1.1 200 OK\r\nX-A: 1\r\n\r\nx",
            200, "1", "x"
        ),
        ("a value over several lines", "HTTP/1.1 200 OK\r\nX-A: 1\r\n  2\r\n\t3\r\n\r\nx", 200, "1 2 3", "x"),
        ("lines that end with LF alone", "HTTP/1.1 200 OK\nX-A: 1\n\nx", 200, "1", "x"),
        (
            "trailers", "HTTP/1.1 200 OK\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-A: 2\r\n\r\n",
            200, "1", "x"
        ),
        ("a body of no bytes", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, "", ""),
        ("a redirect", "HTTP/1.1 302 Found\r\nLocation: /b\r\nX-A: 1\r\nContent-Length: 0\r\n\r\n", 302, "1", ""),
    ])
    func `unusual responses are read`(name: String, text: String, status: Int, field: String, body: String) async throws
    {
        let response = try await answer(text)
        #expect(response.status == status)
        #expect(response.headers.values(named: "X-A") == (field.isEmpty ? [] : [field]))
        #expect(response.body == Array(body.utf8))
    }

    @Test func `a response to HEAD ends with its header`() async throws {
        let response = try await answer(
            to: "HEAD",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
            end: false
        )
        #expect(response.status == 200)
        #expect(response.headers.first(named: "content-length") == "99999999999")
        #expect(response.body.isEmpty)
    }

    @Test func `a response that arrives byte by byte is read completely`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            for byte in Array("HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 5\r\n\r\nhello".utf8) {
                connection.write([byte])
            }
            connection.waitForEnd()
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let response = try await transport.send(HTTPRequest(url: server.url())).get()
                #expect(response.headers.first(named: "X-A") == "1")
                #expect(response.body == Array("hello".utf8))
            }
        }
    }

    @Test(arguments: [
        ("gzip", SampleBodies.gzippedHello), ("deflate", SampleBodies.deflatedHello),
        ("br", SampleBodies.brotliHello), ("zstd", SampleBodies.zstandardHello),
    ])
    func `a compressed body is decoded, or left as it is`(coding: String, bytes: [UInt8]) async throws {
        let answer = ServerResponse(headers: [("Content-Encoding", coding)], body: bytes)
        try await LoopbackServer.run(answer: { _ in answer }) { server in
            try await CurlTransport.run { transport in
                let decoded = try await transport.send(HTTPRequest(url: server.url())).get()
                #expect(String(decoding: decoded.body, as: UTF8.self) == SampleBodies.hello)
                #expect(decoded.headers.first(named: "content-encoding") == coding)
                #expect(decoded.headers.first(named: "content-length") == "\(bytes.count)")
                let raw = try await transport.send(HTTPRequest(url: server.url(), acceptsCompression: false)).get()
                #expect(raw.body == bytes)
            }
        }
    }

    @Test(arguments: [
        ("gzip", SampleBodies.gzippedHello), ("deflate", SampleBodies.deflatedHello),
        ("br", SampleBodies.brotliHello), ("zstd", SampleBodies.zstandardHello),
    ])
    func `a compressed body that is cut short within its Content-Length is a failure of the transfer`(
        coding: String,
        bytes: [UInt8]
    ) async throws {
        let answer = ServerResponse(headers: [("content-encoding", coding)], body: bytes.dropLast(2))
        try await LoopbackServer.run(answer: { _ in answer }) { server in
            try await CurlTransport.run { transport in
                let failure = try #require(await transport.send(HTTPRequest(url: server.url())).failure)
                #expect(failure.kind == .transfer)
                #expect(failure.code == 61)
                #expect(failure.phase == .receiving)
                #expect(failure.message == "the body ends in the middle of its \(coding) data")
                let collector = Collector()
                let streamed = await transport.send(
                    HTTPRequest(url: server.url()),
                    monitor: nil,
                    receiver: collector
                )
                #expect(streamed.failure?.message == failure.message)
            }
        }
    }

    @Test(arguments: ["HEAD", "GET"])
    func `an empty body is not decoded`(method: String) async throws {
        let answer = ServerResponse(headers: [("Content-Encoding", "gzip")])
        try await LoopbackServer.run(answer: { _ in answer }) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(method: method, url: server.url())
                #expect(await transport.send(request).response?.body == [])
            }
        }
    }

    @Test func `the limit of the body applies to the decoded bytes`() async throws {
        let answer = ServerResponse(headers: [("Content-Encoding", "gzip")], body: SampleBodies.gzippedHello)
        try await LoopbackServer.run(answer: { _ in answer }) { server in
            try await CurlTransport.run { transport in
                let size = SampleBodies.hello.utf8.count
                let fits = try await transport.send(HTTPRequest(url: server.url(), maximumBodyBytes: size)).get()
                #expect(fits.body.count == size)
                let failure = await transport.send(HTTPRequest(url: server.url(), maximumBodyBytes: size - 1)).failure
                #expect(failure?.kind == .transfer)
                #expect(failure?.code == 63)
                #expect(failure?.message == "the body is larger than the limit of 18 bytes")
            }
        }
    }

    @Test func `the phases are timed and the bytes are counted`() async throws {
        try await LoopbackServer.run(answer: { _ in .text("hello") }) { server in
            try await CurlTransport.run { transport in
                let first = try await transport.send(HTTPRequest(url: server.url())).get()
                #expect(first.timings.connect > .zero)
                #expect(first.timings.tls == .zero)
                #expect(first.timings.dns + first.timings.connect <= first.timings.firstByte)
                #expect(first.timings.firstByte <= first.timings.total)
                #expect(first.bytesSent == server.requests[0].rawHead.count)
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n"
                #expect(first.bytesReceived == head.utf8.count + 5)
                let second = try await transport.send(HTTPRequest(url: server.url())).get()
                #expect(second.reusedConnection)
                #expect(second.timings.dns == .zero && second.timings.connect == .zero)
                #expect(second.timings.total > .zero)
            }
        }
    }

    @Test(arguments: [
        ("2\r\nok\r\n0\r\n\r\n", true), ("02 ;a=\"_\"\r\nok\r\n0 \r\nA: b\r\n\r\n", true), ("2\nok\n0\n\n", true),
        ("2_0\r\nok\r\n0\r\n\r\n", false), ("2 0\r\nok\r\n0\r\n\r\n", false), ("0x2\r\nok\r\n0\r\n\r\n", false),
        ("2\r\nok\r\n0_1\r\n\r\n", false), ("2\r;\nok\r\n0\r\n\r\n", false),
        ("2;a\t=b\r\nok\r\n0;c\r\n\r\n", true), ("2;a\rb\r\nok\r\n0\r\n\r\n", false),
        ("2;a\r\r\nok\r\n0\r\n\r\n", false), ("2;a\0b\r\nok\r\n0\r\n\r\n", false),
        ("2\r\nok\r\r\n0\r\n\r\n", false), ("2\r\nok\r\n0\r\nA: b\rC: d\r\n\r\n", false),
        ("2\r\nok\r\n0\r\nA: b\r\r\n\r\n", false), ("2\r\nok\r\n0\r\nA: b\0\r\n\r\n", false),
        ("2\r\nok\r\n0\r\n\rA: b\r\n\r\n", false), ("2\r\nok\r\n0\r\nA: b\r\nC: d\n\r\n", true),
        // The size is one too large, so that the carriage return is a byte of the chunk.
        ("3\r\nok\r\n0\r\n\r\n", false), ("2\r\nok\n0\r\n\r\n", false),
    ])
    func `the line of a chunk is valid, with its size as a hexadecimal number`(body: String, isValid: Bool) async throws
    {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
            connection.waitForEnd()
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let result = await transport.send(HTTPRequest(url: server.url(), timeout: .seconds(5)))
                #expect(result.response.map { String(decoding: $0.body, as: UTF8.self) } == (isValid ? "ok" : nil))
                if !isValid {
                    #expect(result.failure?.kind == .transfer)
                    #expect(result.failure?.message.contains("chunk") == true, "\(result)")
                }
            }
        }
    }

    @Test(arguments: ["2\r\nok\r\n0\r\n\r", "2\r\nok\r\n0\r\nA: b\r\n", "2\r\nok\r\n0\r\n", "2\r\nok\r\n0"])
    func `a chunked body without its last line break is not complete`(body: String) async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
            connection.close()
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let result = await transport.send(HTTPRequest(url: server.url(), timeout: .seconds(5)))
                #expect(result.failure?.kind == .transfer)
            }
        }
    }

    @Test func `a space where libcurl divides a long first field does not start a folded line`() async throws {
        // libcurl passes the header as a body in pieces of 16 KiB.
        let value = String(repeating: " a", count: 20_000)
        for name in ["A", "AB"] {
            let script: @Sendable (LoopbackConnection) -> Void = { connection in
                connection.readRequest()
                connection.write("HTTP/1.1 200 OK\r\n\(name):\(value)\r\nContent-Length: 2\r\n\r\nok")
                connection.waitForEnd()
            }
            try await LoopbackServer.run(script: script) { server in
                try await CurlTransport.run { transport in
                    let response = try await transport.send(HTTPRequest(url: server.url())).get()
                    #expect(response.headers.first(named: name)?.utf8.count == value.utf8.count - 1)
                }
            }
        }
    }
}
