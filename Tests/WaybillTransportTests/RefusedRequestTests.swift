import Testing
import WaybillTestSupport

@testable import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct RefusedRequestTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let request: HTTPRequest
        let code: Int32
        let words: String

        var testDescription: String { "\(request.method) \(request.url) \(request.headers)" }
    }

    static func with(_ headers: HTTPField..., method: String = "GET") -> HTTPRequest {
        HTTPRequest(method: method, url: "http://127.0.0.1:PORT/", headers: headers)
    }

    @Test(arguments: [
        Case(request: HTTPRequest(url: "http://u@127.0.0.1:PORT/"), code: 3, words: "put credentials in 'auth'"),
        Case(request: HTTPRequest(url: "http://u:p@127.0.0.1:PORT/"), code: 3, words: "put credentials in 'auth'"),
        Case(request: HTTPRequest(url: "ftp://127.0.0.1:PORT/"), code: 1, words: "neither http nor https"),
        Case(request: HTTPRequest(url: "file:///etc/passwd"), code: 1, words: "neither http nor https"),
        Case(request: HTTPRequest(url: "127.0.0.1:PORT/"), code: 3, words: "not an absolute"),
        Case(request: HTTPRequest(url: "/path"), code: 3, words: "not an absolute"),
        Case(request: HTTPRequest(url: ""), code: 3, words: "not an absolute"),
        Case(request: HTTPRequest(url: "http:///path"), code: 3, words: "not an absolute"),
        Case(request: HTTPRequest(url: "http:/127.0.0.1:PORT/"), code: 3, words: "not an absolute"),
        Case(request: HTTPRequest(url: "http://127.0.0.1:PORT/a b"), code: 3, words: "not an absolute"),
        Case(request: HTTPRequest(url: "http://127.0.0.1:PORT/a\r\nX: y"), code: 3, words: "not an absolute"),
        Case(request: HTTPRequest(url: "http://127.0.0.1:PORT/a\0b"), code: 3, words: "not an absolute"),
        Case(request: HTTPRequest(url: "http://127.0.0.1:99999/"), code: 3, words: "not an absolute"),
        Case(request: with(HTTPField(name: "A\r\nB", value: "c")), code: 43, words: "not a token"),
        Case(request: with(HTTPField(name: "A:", value: "c")), code: 43, words: "not a token"),
        Case(request: with(HTTPField(name: "", value: "c")), code: 43, words: "not a token"),
        Case(request: with(HTTPField(name: "A", value: "b\r\nC: d")), code: 43, words: "line break"),
        Case(request: with(HTTPField(name: "A", value: "b\nC: d")), code: 43, words: "line break"),
        Case(request: with(HTTPField(name: "A", value: "b\0")), code: 43, words: "line break"),
        Case(request: with(HTTPField(name: "Content-Length", value: "7")), code: 43, words: "length of the body, 0"),
        Case(request: with(HTTPField(name: "Transfer-Encoding", value: "chunked")), code: 43, words: "by hand"),
        Case(request: with(method: ""), code: 43, words: "method is not a token"),
        Case(request: with(method: "GET /x HTTP/1.1\r\nA: b"), code: 43, words: "method is not a token"),
        Case(request: with(method: "GÉT"), code: 43, words: "method is not a token"),
        Case(
            request: HTTPRequest(method: "HEAD", url: "http://127.0.0.1:PORT/", body: .bytes([1])),
            code: 43,
            words: "HEAD"
        ),
        Case(
            request: HTTPRequest(
                url: "http://127.0.0.1:PORT/",
                connectTo: SocketEndpoint(host: "127.0.0.1:1:a", port: 0)
            ),
            code: 43,
            words: "address to connect to"
        ),
    ])
    func `an invalid request is refused, and nothing is sent`(_ example: Case) async throws {
        try await LoopbackServer.run(answer: { _ in .text("ok") }) { server in
            try await CurlTransport.run { transport in
                var request = example.request
                request.url = request.url.replacing("PORT", with: "\(server.port)")
                let failure = try #require(await transport.send(request).failure)
                #expect(failure.kind == .transfer)
                #expect(failure.code == example.code)
                #expect(failure.message.contains(example.words), "\(failure.message)")
                #expect(!failure.wasSent)
            }
            #expect(server.connectionCount == 0)
        }
    }

    @Test func `a header that is too large for libcurl is that of the request`() async throws {
        try await LoopbackServer.run(answer: { _ in .text("ok") }) { server in
            try await CurlTransport.run { transport in
                let field = HTTPField(name: "A", value: String(repeating: "x", count: 2 << 20))
                let failure = await transport.send(HTTPRequest(url: server.url(), headers: [field])).failure
                // Newer versions send it.
                let isRefused = failure?.message.hasPrefix("the request's URL and header fields")
                #expect(isRefused ?? (LibCurl.version > 0x075800), "\(failure as Any)")
            }
        }
    }
}
