import Synchronization
import Testing
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct FollowingTests {
    static func redirect(_ status: Int, _ location: String) -> ServerResponse {
        ServerResponse(status: status, headers: [("Location", location)])
    }

    @Test func `redirects are followed to the end, and reported`() async throws {
        try await LoopbackServer.run(answer: { .text($0.head + String(decoding: $0.body, as: UTF8.self)) }) { other in
            let answer: @Sendable (ReceivedRequest) -> ServerResponse = { request in
                switch request.target {
                case "/a": Self.redirect(307, "b?c")
                case "/b?c": Self.redirect(308, "/d")
                default: Self.redirect(301, other.url("/e"))
                }
            }
            try await LoopbackServer.run(answer: answer) { server in
                try await CurlTransport.run { transport in
                    var hops: [Redirect] = []
                    let request = HTTPRequest(
                        method: "POST",
                        url: server.url("/a#f"),
                        headers: [HTTPField(name: "Authorization", value: "s"), HTTPField(name: "X-A", value: "1")],
                        body: .bytes([7])
                    )
                    let response = try await transport.send(request, followingRedirects: 3) { hops.append($0) }.get()
                    #expect(response.url == other.url("/e#f"))
                    #expect(server.requests.map(\.body) == [[7], [7], [7]])
                    #expect(server.requests.allSatisfy { $0.values(named: "Authorization") == ["s"] })
                    #expect(other.requests.map(\.method) == ["GET"])
                    #expect(other.requests[0].values(named: "Authorization").isEmpty)
                    // Another origin receives only harmless fields.
                    #expect(other.requests[0].values(named: "X-A").isEmpty)
                    #expect(other.requests[0].body.isEmpty)
                    #expect(hops.map(\.to) == [server.url("/b?c#f"), server.url("/d#f"), other.url("/e#f")])
                    #expect(hops.map(\.status) == [307, 308, 301])
                    #expect(hops.map(\.method) == ["POST", "POST", "GET"])
                    #expect(hops.map(\.leavesOrigin) == [false, false, true])
                }
            }
        }
    }

    @Test func `a cookie set by a redirect is sent with the next request`() async throws {
        let answer: @Sendable (ReceivedRequest) -> ServerResponse = { request in
            guard request.target == "/a" else { return .text(request.values(named: "Cookie").joined()) }
            return ServerResponse(status: 302, headers: [("Location", "/b"), ("Set-Cookie", "k=v")])
        }
        try await LoopbackServer.run(answer: answer) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(url: server.url("/a")).with { $0.cookies = .run }
                let response = try await transport.send(request, followingRedirects: 1).get()
                #expect(response.body == Array("k=v".utf8))
            }
        }
    }

    @Test func `cookies are not sent to another port of the same host, but again after a redirect back`()
        async throws
    {
        let cookies: @Sendable (ReceivedRequest) -> String = { $0.values(named: "Cookie").joined() }
        let back = Mutex("")
        let there: @Sendable (ReceivedRequest) -> ServerResponse = { request in
            if request.target == "/back" {
                let headers = [("Location", back.withLock { $0 }), ("Set-Cookie", "there=2")]
                return ServerResponse(status: 302, headers: headers)
            }
            return .text(cookies(request))
        }
        try await LoopbackServer.run(answer: there) { other in
            let here: @Sendable (ReceivedRequest) -> ServerResponse = { request in
                switch request.target {
                case "/a":
                    ServerResponse(status: 302, headers: [("Location", other.url("/b")), ("Set-Cookie", "here=1")])
                case "/round": Self.redirect(302, other.url("/back"))
                default: .text(cookies(request))
                }
            }
            try await LoopbackServer.run(answer: here) { server in
                back.withLock { $0 = server.url("/end") }
                try await CurlTransport.run { transport in
                    func body(_ path: String) async throws -> String {
                        let request = HTTPRequest(url: server.url(path)).with { $0.cookies = .run }
                        let response = try await transport.send(request, followingRedirects: 3).get()
                        return String(decoding: response.body, as: UTF8.self)
                    }
                    // The other port has its own cookies.
                    let bodies = [try await body("/a"), try await body("/round"), try await body("/a")]
                    #expect(bodies == ["", "here=1", "there=2"])
                    #expect(other.requests.allSatisfy { !cookies($0).split(separator: ";").contains("here=1") })
                }
            }
        }
    }

    @Test func `a timeout after redirects names the total time`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            guard connection.readRequest() != nil, connection.pass(milliseconds: 20) else { return }
            connection.write("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
            connection.waitForEnd()
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let message = await withGrowingTime { timeout in
                    let request = HTTPRequest(url: server.url(), timeout: timeout)
                    return await transport.send(request, followingRedirects: 5).failure?.message ?? ""
                } until: {
                    $0.hasSuffix("redirects included")
                }
                let words = message.replacing(#/\b(300ms|3s|30s)\b/#, with: "TIME")
                #expect(words == "no response from 127.0.0.1:\(server.port) within TIME, redirects included")
            }
        }
    }

    @Test func `a redirect loop ends at the limit, and a file is not read`() async throws {
        let answer: @Sendable (ReceivedRequest) -> ServerResponse = {
            Self.redirect(302, $0.target == "/file" ? "file:///etc/passwd" : "/circle")
        }
        try await LoopbackServer.run(answer: answer) { server in
            try await CurlTransport.run { transport in
                let circle = await transport.send(HTTPRequest(url: server.url("/circle")), followingRedirects: 10)
                #expect(circle.failure?.message == "the request was redirected more than 10 times")
                #expect(server.requests.count == 11)
                let file = await transport.send(HTTPRequest(url: server.url("/file")), followingRedirects: 10)
                #expect(file.failure?.code == 1)
                #expect(server.requests.count == 12)
            }
        }
    }

    @Test func `all redirects together share the timeout of one request`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while connection.readRequest() != nil, connection.pass(milliseconds: 100) {
                connection.write("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let (kind, requests, most) = try await withGrowingTime(from: .milliseconds(450)) { timeout in
            try await LoopbackServer.run(script: script) { server in
                try await CurlTransport.run { transport in
                    let request = HTTPRequest(url: server.url(), timeout: timeout)
                    let failure = await transport.send(request, followingRedirects: 1000).failure
                    return (failure?.kind, server.requests.count, Int(timeout / .milliseconds(100)) + 1)
                }
            }
        } until: { _, requests, _ in
            requests > 0
        }
        #expect(kind == .timeout)
        #expect((1...most).contains(requests))
    }

    @Test func `bytes of a Location that are not UTF-8 are requested percent-encoded`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            connection.write(Array("HTTP/1.1 302 Found\r\nLocation: /a".utf8) + [0xFC])
            connection.write("?b\r\nContent-Length: 0\r\n\r\n")
            connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            connection.waitForEnd()
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(url: server.url("/"))
                let response = try await transport.send(request, followingRedirects: 1).get()
                #expect(response.url == server.url("/a%FC?b"))
            }
        }
    }
}
