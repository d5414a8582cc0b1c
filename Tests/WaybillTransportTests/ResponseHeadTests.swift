import Testing
import WaybillTestSupport

@testable import WaybillTransport

/// Response headers that are cut short or do not determine where the body ends (RFC 9112, sections 2.2 and 6.3).
@Suite(.timeLimit(.minutes(5))) struct ResponseHeadTests {
    /// The result of a request to a server that sends exactly this and closes the connection.
    func send(
        _ text: String,
        to method: String = "GET",
        maximumBodyBytes: Int = 1000
    ) async throws -> Result<HTTPResponse, TransportFailure> {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            connection.write(text)
        }
        return try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(method: method, url: server.url(), maximumBodyBytes: maximumBodyBytes)
                return await transport.send(request)
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n", "HTTP/1.1 200 OK\r\nContent-Ty",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", "HTTP/1.1 204 No Content\r\n",
        "HTTP/1.1 200 OK\r\nX-A: 1\r\n\r",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n",
    ])
    func `a response that is cut short inside its header is a failure of the transfer`(text: String) async throws {
        for method in ["GET", "HEAD"] {
            let failure = try #require(try await send(text, to: method).failure)
            #expect(failure.kind == .transfer)
            #expect(failure.code == 18)
            #expect(failure.phase == .receiving)
            #expect(failure.message.hasSuffix("closed the connection in the middle of the response's header"))
        }
    }

    @Test(arguments: [
        ("Content-Length: 5\r\nContent-Length: 3", "two different values of Content-Length, 5 and 3"),
        ("Content-Length: 5, 3", "two different values of Content-Length, 5 and 3"),
        ("Content-Length: 0x11", "Content-Length is '0x11', which is not a number of bytes"),
        ("content-length: 5abc", "Content-Length is '5abc', which is not a number of bytes"),
        ("Content-Length: 5 5", "Content-Length is '5 5', which is not a number of bytes"),
        ("Content-Length : 5", "field Content-Length is malformed"),
        ("Transfer-Encoding :chunked", "field Transfer-Encoding is malformed"),
        ("Transfer-Encoding: ,\r\n chunked", "field Transfer-Encoding is malformed"),
        (
            "Content-Length: +5",
            LibCurl.isAtLeast814
                ? "Content-Length is not a number of bytes" : "Content-Length is '+5', which is not a number of bytes"
        ),
        ("Content-Length: 5\r\n 3", "field Content-Length is malformed"),
        ("Content-Length: 5,", "Content-Length is '5,', which is not a number of bytes"),
        ("Content-Length: 9223372036854775808", "Content-Length is '9223372036854775808', which is not"),
        ("Content-Length: 18446744073709551621", "Content-Length is '18446744073709551621', which is not"),
        (
            "Transfer-Encoding: chunked, chunked",
            "Transfer-Encoding is 'chunked, chunked': 'chunked' may be there only once"
        ),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip", "the unrequested Transfer-Encoding gzip"),
        ("Transfer-Encoding: gzip, chunked", "the unrequested Transfer-Encoding gzip"),
        ("Transfer-Encoding: x-gzip", "the unrequested Transfer-Encoding x-gzip"),
        ("Transfer-Encoding: identity\r\nContent-Length: 99999999", "the unrequested Transfer-Encoding identity"),
        ("Transfer-Encoding: foo", "the response has the unknown Transfer-Encoding foo"),
        ("Transfer-Encoding: foo bar, chunked", "the response has the unknown Transfer-Encoding 'foo bar'"),
    ])
    func `an invalid length is a failure of the transfer`(fields: String, words: String) async throws {
        let failure = try #require(try await send("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhello").failure)
        #expect(failure.kind == .transfer)
        #expect(failure.code == 8)
        #expect(failure.message.contains(words), "\(failure.message)")
    }

    @Test(arguments: [
        ("Content-Length: 5\r\nContent-Length: 5", "hello", "hello"), ("Content-Length: 5, 5", "hello", "hello"),
        ("Content-Length: 005", "hello", "hello"), ("Content-Length:\t5 ", "hello", "hello"),
        ("X-A: 1", "hello", "hello"),
        ("Transfer-Encoding: Chunked\r\nContent-Length: 0x11", "5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("Transfer-Encoding: , chunked\r\n \r\nX-A: 1\r\n 2", "5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("Content-Lengths: x\r\nX-Content-Length: y", "hello", "hello"),
    ])
    func `a valid length is used`(fields: String, body: String, expected: String) async throws {
        let response = try await send("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n\(body)").get()
        #expect(response.body == Array(expected.utf8))
    }

    @Test(arguments: [("HEAD", "200 OK"), ("GET", "204 No Content"), ("GET", "304 Not Modified")])
    func `a response without a body may have any length`(method: String, status: String) async throws {
        let response = try await send("HTTP/1.1 \(status)\r\nContent-Length: 99999999999\r\n\r\n", to: method).get()
        #expect(response.body.isEmpty)
    }

    @Test func `a Content-Length above the limit of the body is a failure before the body`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")
            // A client that waits for the body runs into its timeout.
            connection.waitForEnd()
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(url: server.url(), maximumBodyBytes: 1000)
                let failure = try #require(await transport.send(request).failure)
                #expect(failure.kind == .transfer)
                #expect(failure.code == 63)
                #expect(
                    failure.message
                        == "the body is larger than the limit of 1000 bytes: its Content-Length is 1001"
                )
            }
        }
    }

    @Test(arguments: ["http/1ttp/1.1 200 OK", "HTTP/1.1 103 Hints\r\n\r\nhttp/1 x 200"])
    func `a response that does not start with a status line is a failure`(head: String) async throws {
        let failure = try #require(try await send("\(head)\r\nContent-Length: 2\r\n\r\nok").failure)
        #expect(failure.kind == .transfer)
        #expect(failure.code == 8)
        #expect(failure.message.hasPrefix("the response starts with 'http/1"), "\(failure.message)")
    }

    @Test func `a folded line before the first field fails safely after another response`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while let request = connection.readRequest() {
                let line = request.target == "/folded" ? " folded: 1" : "X-A: 1"
                connection.write("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                // Much memory is freed and used again between two responses.
                for _ in 0..<20 {
                    #expect(await transport.send(HTTPRequest(url: server.url())).response?.status == 200)
                    let failure = await transport.send(HTTPRequest(url: server.url("/folded"))).failure
                    #expect(failure?.kind == .transfer)
                }
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n folded: 1\r\n\r\n", "HTTP/1.1 200 OK\r\n\tX-A: 1\r\nX-B: 2\r\n\r\n",
    ])
    func `a folded line before the first field is a failure with a message`(text: String) async throws {
        let failure = try #require(try await send(text).failure)
        #expect(failure.kind == .transfer)
        #expect(failure.code == 8)
        #expect(failure.message.hasSuffix("starts with a folded line, which belongs to no field"))
    }

    @Test func `a trailer without a colon is a failure with a message`() async throws {
        let chunks = "2\r\nok\r\n0\r\ntrailer\r\n\r\n"
        let failure = try #require(
            try await send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)").failure
        )
        #expect(failure.kind == .transfer)
        #expect(failure.code == 8)
        #expect(failure.message.hasPrefix("a line after the body of the response from 127.0.0.1:"))
        #expect(failure.message.hasSuffix("is not a trailer field: it has no colon"))
    }

    @Test(arguments: [
        ("waybill", "waybill"), ("x@y", "'x@y'"), ("a\u{1}b", #"'a\u{1}b'"#),
        (String(repeating: "x", count: 50), String(repeating: "x", count: 40) + "…"),
    ])
    func `an unknown content coding is named`(coding: String, name: String) async throws {
        let failure = try #require(
            try await send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: 5\r\n\r\nhello").failure
        )
        #expect(failure.code == 61)
        #expect(failure.message == "the body has the unknown content encoding \(name)")
    }
}
