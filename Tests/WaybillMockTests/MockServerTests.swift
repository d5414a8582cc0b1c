import Synchronization
import Testing
import WaybillJSON
import WaybillMock
import WaybillPlatform
import WaybillTestSupport

@Suite(.timeLimit(.minutes(5))) struct MockServerTests {
    private func route(
        _ method: String,
        _ path: String,
        host: String? = nil,
        _ responses: MockResponse...
    ) -> MockRoute {
        MockRoute(method: method, host: host, path: PathPattern(template: path), responses: responses)
    }

    private func answer(_ body: String, status: Int = 200, delay: Duration = .zero) -> MockResponse {
        let type = MockField("Content-Type", "text/plain")
        return MockResponse(status: status, headers: [type], body: Array(body.utf8), delay: delay)
    }

    /// Sends raw bytes on one connection and returns everything received until the server closes it.
    private func exchange(
        _ request: String,
        with routes: [MockRoute],
        limits: MockServer.Limits = MockServer.Limits(),
        onRequest: @escaping @Sendable (MockServer.Exchange) -> Void = { _ in }
    ) async throws -> String {
        let server = MockServer(routes: routes, limits: limits, onRequest: onRequest)
        let port = try server.start()
        let text = await RawConnection.exchange(request, port: port)
        await server.stop()
        return text
    }

    @Test func `pipelined requests receive their responses in order, even slow ones, on one connection`() async throws {
        let routes = [
            route("GET", "/slow", answer("one", delay: .milliseconds(30))),
            route("GET", "/fast/${id}", answer("two")),
            route("POST", "/fast/${id}", answer("three", status: 201)),
        ]
        let text = try await exchange(
            "GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /fast/1 HTTP/1.1\r\nHost: x\r\n\r\n"
                + "POST /fast/2 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc",
            with: routes
        )
        #expect(
            text
                == """
                HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\none\
                HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\ntwo\
                HTTP/1.1 201 Created\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nthree
                """
        )
    }

    @Test func `responses are used in turn, and the last one repeats`() async throws {
        let request = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"
        let last = "GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        let text = try await exchange(
            request + request + last,
            with: [route("GET", "/x", answer("a", status: 503), answer("b", status: 200))]
        )
        #expect(text.split(separator: "\r\n").filter { $0.contains("HTTP/1.1") }.count == 3)
        #expect(text.contains("503") && text.hasSuffix("\r\n\r\nb"))
        #expect(text.components(of: "HTTP/1.1 200 OK") == 2)
    }

    @Test func `HEAD receives the header of GET without a body, and 204 has no Content-Length`() async throws {
        let text = try await exchange(
            "HEAD /x HTTP/1.1\r\nHost: x\r\n\r\nGET /none HTTP/1.0\r\nHost: x\r\n\r\n",
            with: [route("GET", "/x", answer("body")), route("GET", "/none", answer("ignored", status: 204))]
        )
        #expect(
            text
                == """
                HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\n\
                HTTP/1.1 204 No Content\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n
                """
        )
    }

    @Test func `a request without an example receives 404 and the nearest example`() async throws {
        let text = try await exchange(
            "GET /users/1/shedule HTTP/1.1\r\nHost: api.example.com\r\nConnection: close\r\n\r\n",
            with: [route("GET", "/users/${id}/schedule", answer("x"))]
        )
        #expect(text.hasPrefix("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Type: application/json\r\n"))
        let body = text.bytes(after: "\r\n\r\n")
        #expect(
            try JSONParser().parse(body) == [
                "error": "no mock example for GET /users/1/shedule on host api.example.com",
                "nearest": "GET /users/${id}/schedule",
            ]
        )
    }

    @Test func `a method without an example receives 405 and the allowed methods`() async throws {
        let text = try await exchange(
            "PUT /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            with: [route("POST", "/x", answer("x")), route("GET", "/x", answer("x"))]
        )
        #expect(text.hasPrefix("HTTP/1.1 405 Method Not Allowed\r\n") && text.contains("Allow: GET, HEAD, POST\r\n"))
    }

    @Test func `the server frames responses itself, and an invalid example does not leave a client waiting`()
        async throws
    {
        let framing = MockResponse(
            headers: [
                .init("content-length", "99"), .init("Transfer-Encoding", "chunked"), .init("X-A", ""),
                .init("X-A", "1"),
            ],
            body: Array("abc".utf8)
        )
        let routes = [
            route("GET", "/framing", framing),
            route("GET", "/status", MockResponse(status: 101)),
            route("GET", "/header", MockResponse(headers: [.init("X-A", "a\r\nX-B: b")])),
            route("GET", "/nothing"),
        ]
        func get(_ path: String) async throws -> String {
            try await exchange("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", with: routes)
        }
        #expect(
            try await get("/framing")
                == "HTTP/1.1 200 OK\r\nConnection: close\r\nX-A:  \r\nX-A: 1\r\nContent-Length: 3\r\n\r\nabc"
        )
        let status = try await get("/status")
        #expect(status.hasPrefix("HTTP/1.1 500 ") && status.contains("cannot be sent: its status is 101"))
        let header = try await get("/header")
        #expect(header.hasPrefix("HTTP/1.1 500 ") && header.contains("its header 'X-A' contains characters"))
        #expect(try await get("/nothing").contains("GET /nothing has no mock example"))
    }

    @Test func `a query with very many fields is answered`() async throws {
        let query = "a=1" + String(repeating: "&", count: 5_000)
        let head = "GET /x?\(query) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        let response = try await exchange(head, with: [route("GET", "/x?\(query)", answer("ok"))])
        #expect(response.hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `a header that is too large and a body that is too long are refused`() async throws {
        var limits = MockServer.Limits()
        limits.head = 2_000
        limits.body = 10
        let routes = [route("POST", "/x", answer("ok"))]
        let head = "POST /x HTTP/1.1\r\nHost: x\r\n"
        let large = try await exchange(
            "\(head)X-A: \(String(repeating: "a", count: 4_000))\r\n\r\n",
            with: routes,
            limits: limits
        )
        #expect(large.hasPrefix("HTTP/1.1 431 "))
        let long = try await exchange(
            "\(head)Connection: close\r\nContent-Length: 11\r\n\r\nabcdefghijk",
            with: routes,
            limits: limits
        )
        #expect(long.hasPrefix("HTTP/1.1 413 "))
        let fits = try await exchange(
            "\(head)Expect: 100-continue\r\nConnection: close\r\nContent-Length: 10\r\n\r\nabcdefghij",
            with: routes,
            limits: limits
        )
        // libmicrohttpd 1.0 sends no 100 if the body has already arrived.
        #expect(fits.trimmingPrefix("HTTP/1.1 100 Continue\r\n\r\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test func `a body that is too large to be compared equals none`() async throws {
        var limits = MockServer.Limits()
        limits.comparedBody = 10
        var special = route("POST", "/x", answer("special"))
        special.body = .string("0123456789ab")
        let routes = [special, route("POST", "/x", answer("any"))]
        let request = "POST /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 12\r\n\r\n0123456789ab"
        #expect(try await exchange(request, with: routes).hasSuffix("special"))
        #expect(try await exchange(request, with: routes, limits: limits).hasSuffix("any"))
    }

    @Test func `every exchange is reported`() async throws {
        let exchanges = Mutex<[MockServer.Exchange]>([])
        _ = try await exchange(
            "GET /a/1?b=2 HTTP/1.1\r\nHost: Api.example.com:443\r\n\r\nPUT /b HTTP/1.0\r\n\r\n",
            with: [route("GET", "/a/${id}", host: "api.example.com", answer("x", status: 201))],
            onRequest: { exchange in exchanges.withLock { $0.append(exchange) } }
        )
        let told = exchanges.withLock { $0 }
        #expect(told.map(\.method) == ["GET", "PUT"])
        #expect(told.map(\.target) == ["/a/1?b=2", "/b"])
        #expect(told.map(\.host) == ["api.example.com", ""])
        #expect(told.map(\.route?.description) == ["/a/${id}", nil])
        #expect(told.map(\.status) == [201, 404])
    }

    @Test func `requests wait while the client does not read earlier responses`() async throws {
        let body = String(repeating: "x", count: 256 * 1024)
        let count = Mutex(0)
        let server = MockServer(routes: [route("GET", "/large", answer(body)), route("GET", "/ping", answer("pong"))]) {
            if $0.target == "/large" { count.withLock { $0 += 1 } }
        }
        let port = try server.start()
        let descriptor = try #require(RawConnection.connect(to: port))
        defer { close(descriptor) }
        let request = "GET /large HTTP/1.1\r\nHost: x\r\n"
        let all = String(repeating: request + "\r\n", count: 199) + request + "Connection: close\r\n\r\n"
        try #require(RawConnection.send(all, on: descriptor))
        // The server has one thread: once it responds to these, it has done all it can for the first connection.
        for _ in 0..<20 {
            let text = await RawConnection.exchange("GET /ping HTTP/1.0\r\nHost: x\r\n\r\n", port: port)
            #expect(text.hasSuffix("pong"))
        }
        // As many as the system's buffers hold, and one more.
        #expect(count.withLock(\.self) < 100)
        var bytes = 0
        #expect(!RawConnection.read(from: descriptor) { bytes += $0.count })
        #expect(count.withLock(\.self) == 200)
        #expect(bytes > 200 * body.utf8.count)
        await server.stop()
    }

    @Test func `a server that stops does not wait for a delayed response, and does not send it`() async throws {
        let server = MockServer(routes: [route("GET", "/slow", answer("slow", delay: .seconds(600)))])
        let port = try server.start()
        let descriptor = try #require(RawConnection.connect(to: port))
        defer { close(descriptor) }
        try #require(RawConnection.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n", on: descriptor))
        // The server has one thread: once it responds to this, it has received the other request.
        #expect(await RawConnection.exchange("GET /x HTTP/1.0\r\n\r\n", port: port).hasPrefix("HTTP/1.1 404 "))
        await server.stop()
        #expect(!RawConnection.read(from: descriptor) { _ in Issue.record("a response was sent") })
    }

    @Test(arguments: ["", "GET / HTTP", "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"])
    func `an idle connection is closed, whether it has sent a request or not`(sent: String) async throws {
        let isWhole = sent.hasSuffix("\r\n\r\n")
        let text = try await withGrowingTime(from: .milliseconds(100)) { time in
            var limits = MockServer.Limits()
            limits.idle = time
            return try await exchange(sent, with: [route("GET", "/x", answer("x"))], limits: limits)
        } until: {
            $0.hasSuffix("\r\n\r\nx") == isWhole
        }
        #expect(!text.hasSuffix("<silence>"))
        #expect(text.hasSuffix("\r\n\r\nx") == isWhole)
    }

    @Test(arguments: ["0.0.0.0", "10.0.0.1", "::", "127.evil.example", "example.com", ""])
    func `the server listens only on the loopback interface`(host: String) {
        #expect(throws: MockServerError.self) { try MockServer(routes: []).start(host: host) }
    }

    @Test func `a port in use is an error that names it, and a stopped server can start again`() async throws {
        let host = "127.0.0.77"
        let first = MockServer(routes: [])
        let port = try first.start(host: host)
        let second = MockServer(routes: [])
        let error = #expect(throws: MockServerError.self) { try second.start(host: host, port: port) }
        #expect(error?.description.contains("\(host):\(port)") == true)
        #expect(throws: MockServerError.self) { try first.start(host: host) }
        await first.stop()
        // On another port: a process that another test is starting may hold the first one for a short time.
        #expect(try first.start(host: host) > 0)
        await first.stop()
        await first.stop()
    }
}

extension String {
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }

    fileprivate func bytes(after separator: String) -> [UInt8] {
        Array((firstRange(of: separator).map { self[$0.upperBound...] } ?? "").utf8)
    }
}
