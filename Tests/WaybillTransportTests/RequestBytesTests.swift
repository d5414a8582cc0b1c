import Testing
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct RequestBytesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let request: HTTPRequest
        let head: String
        var body = ""

        var testDescription: String { name }
    }

    static func request(
        _ method: String = "GET",
        _ path: String = "/",
        headers: [HTTPField] = [],
        body: HTTPRequest.Body = .none,
        acceptsCompression: Bool = false
    ) -> HTTPRequest {
        HTTPRequest(
            method: method,
            url: "http://127.0.0.1:PORT" + path,
            headers: headers,
            body: body,
            acceptsCompression: acceptsCompression
        )
    }

    static let cases = [
        Case(name: "a GET", request: request("GET", "/a?b=c%20d"), head: "GET /a?b=c%20d HTTP/1.1|HOST"),
        Case(name: "an address without path", request: request("GET", ""), head: "GET / HTTP/1.1|HOST"),
        Case(name: "a path with dots", request: request("GET", "/a/../b/./c"), head: "GET /a/../b/./c HTTP/1.1|HOST"),
        Case(name: "a fragment", request: request("GET", "/a#b"), head: "GET /a HTTP/1.1|HOST"),
        Case(name: "a HEAD", request: request("HEAD"), head: "HEAD / HTTP/1.1|HOST"),
        Case(name: "a DELETE", request: request("DELETE"), head: "DELETE / HTTP/1.1|HOST"),
        Case(name: "an unusual method", request: request("M-SEARCH"), head: "M-SEARCH / HTTP/1.1|HOST"),
        Case(name: "a method in lower case", request: request("get"), head: "get / HTTP/1.1|HOST"),
        Case(name: "a POST without body", request: request("POST"), head: "POST / HTTP/1.1|HOST|Content-Length: 0"),
        Case(name: "a PATCH without body", request: request("PATCH"), head: "PATCH / HTTP/1.1|HOST|Content-Length: 0"),
        Case(
            name: "a POST with an empty body",
            request: request("POST", body: .bytes([])),
            head: "POST / HTTP/1.1|HOST|Content-Length: 0"
        ),
        Case(
            name: "a POST with bytes of all kinds",
            request: request("POST", body: .bytes(Array("a\0b\r\n".utf8))),
            head: "POST / HTTP/1.1|HOST|Content-Length: 5",
            body: "a\0b\r\n"
        ),
        Case(
            name: "a PUT with a body",
            request: request("PUT", body: .bytes(Array("x".utf8))),
            head: "PUT / HTTP/1.1|HOST|Content-Length: 1",
            body: "x"
        ),
        Case(
            name: "a GET with a body",
            request: request("GET", body: .bytes(Array("{}".utf8))),
            head: "GET / HTTP/1.1|HOST|Content-Length: 2",
            body: "{}"
        ),
        Case(
            name: "fields in their order, also twice and empty",
            request: request(headers: [
                HTTPField(name: "X-B", value: " 2 "), HTTPField(name: "X-A", value: ""),
                HTTPField(name: "X-B", value: "ä"), HTTPField(name: "User-Agent", value: "waybill/0"),
            ]),
            head: "GET / HTTP/1.1|HOST|X-B: 2|X-A:|X-B: ä|User-Agent: waybill/0"
        ),
        Case(
            name: "fields that libcurl would add, when they are asked for",
            request: request(
                "POST",
                headers: [HTTPField(name: "accept", value: "*/*"), HTTPField(name: "content-type", value: "a/b")],
                body: .bytes(Array("x".utf8))
            ),
            head: "POST / HTTP/1.1|HOST|accept: */*|content-type: a/b|Content-Length: 1",
            body: "x"
        ),
        Case(
            name: "a right Content-Length by hand",
            request: request("POST", headers: [HTTPField(name: "content-length", value: "1")], body: .bytes([0x78])),
            head: "POST / HTTP/1.1|HOST|Content-Length: 1",
            body: "x"
        ),
        Case(
            name: "another Host",
            request: request(headers: [HTTPField(name: "Host", value: "example.com")]),
            head: "GET / HTTP/1.1|Host: example.com"
        ),
        Case(
            name: "compression",
            request: request(acceptsCompression: true),
            head: "GET / HTTP/1.1|HOST|Accept-Encoding: deflate, gzip, br, zstd"
        ),
        Case(
            name: "Accept-Encoding by hand",
            request: request(headers: [HTTPField(name: "accept-encoding", value: "gzip")], acceptsCompression: true),
            head: "GET / HTTP/1.1|HOST|accept-encoding: gzip"
        ),
    ]

    @Test(arguments: cases)
    func `a request is sent exactly as specified`(_ example: Case) async throws {
        try await LoopbackServer.run(answer: { _ in .text("ok") }) { server in
            try await CurlTransport.run { transport in
                var request = example.request
                request.url = request.url.replacing("PORT", with: "\(server.port)")
                let response = try await transport.send(request).get()
                #expect(response.status == 200)
                let lines = example.head.replacing("HOST", with: "Host: 127.0.0.1:\(server.port)").split(separator: "|")
                #expect(server.requests.first?.head == lines.joined(separator: "\r\n") + "\r\n\r\n")
                #expect(server.requests.first?.body == Array(example.body.utf8))
            }
        }
    }

    @Test func `consecutive requests are sent exactly as specified, whatever the previous one specified`()
        async throws
    {
        var sequence: [Case] = []
        for example in Self.cases { sequence += [example, Self.cases[0], example, example] }
        try await LoopbackServer.run(answer: { _ in .text("ok") }) { server in
            try await CurlTransport.run { transport in
                for (index, example) in sequence.enumerated() {
                    var request = example.request
                    request.url = request.url.replacing("PORT", with: "\(server.port)")
                    if index % 4 == 3 { request.options.cookies = .run }
                    let response = try await transport.send(request).get()
                    #expect(response.status == 200)
                    let head = example.head.replacing("HOST", with: "Host: 127.0.0.1:\(server.port)")
                    let lines = head.split(separator: "|").joined(separator: "\r\n")
                    #expect(server.requests.last?.head == lines + "\r\n\r\n", "\(example.name), request \(index)")
                    #expect(server.requests.last?.body == Array(example.body.utf8))
                }
            }
        }
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 300_000])
    func `the bytes of a body are counted once`(count: Int) async throws {
        let body = [UInt8](repeating: 7, count: count)
        try await LoopbackServer.run(answer: { _ in .text("ok") }) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(method: "POST", url: server.url(), body: .bytes(body))
                let response = try await transport.send(request).get()
                #expect(response.bytesSent == count + server.requests[0].rawHead.count)
            }
        }
    }

    @Test func `a body of 5 MB is sent at once, without an Expect field`() async throws {
        let body = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await LoopbackServer.run(answer: { ServerResponse(body: $0.body) }) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(method: "POST", url: server.url(), body: .bytes(body))
                let response = try await transport.send(request).get()
                #expect(response.body == body)
                #expect(server.requests[0].values(named: "Expect").isEmpty)
                #expect(response.bytesSent == body.count + server.requests[0].rawHead.count)
            }
        }
    }
}
