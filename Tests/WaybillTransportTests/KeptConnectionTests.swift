import Synchronization
import Testing
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct KeptConnectionTests {
    /// Responds to the first request on the first connection, closes it on the second, and responds on others.
    static let closesOnSecond: @Sendable (LoopbackConnection) -> Void = { connection in
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        connection.readRequest()
        connection.write(answer)
        guard connection.readRequest() != nil, connection.number > 0 else { return }
        connection.write(answer)
        connection.waitForEnd()
    }

    @Test func `requests in sequence share one connection`() async throws {
        try await LoopbackServer.run(answer: { .text($0.target) }) { server in
            try await CurlTransport.run { transport in
                for number in 0..<20 {
                    let method = number.isMultiple(of: 2) ? "GET" : "POST"
                    let response = try await transport.send(HTTPRequest(method: method, url: server.url("/\(number)")))
                        .get()
                    #expect(response.body == Array("/\(number)".utf8))
                    #expect(response.reusedConnection == (number > 0))
                }
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: [
        ("GET", "HTTP/1.1 204 No Content\r\n\r\n", "x"), ("GET", "HTTP/1.1 304 Not Modified\r\n\r\n", "x"),
        ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", "x"),
        ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "x"),
        ("GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nA: b\r\n\r\n", "x"),
        ("GET", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", ""),
    ])
    func `a connection with bytes after a response is not used again`(method: String, response: String, rest: String)
        async throws
    {
        for rest in ["", rest] {
            let script: @Sendable (LoopbackConnection) -> Void = { connection in
                while connection.readRequest() != nil { connection.write(response + rest) }
            }
            try await LoopbackServer.run(script: script) { server in
                try await CurlTransport.run { transport in
                    for _ in 0..<2 {
                        _ = try await transport.send(HTTPRequest(method: method, url: server.url())).get()
                    }
                }
                let isKept = rest.isEmpty && !response.hasPrefix("HTTP/1.0")
                #expect(server.connectionCount == (isKept ? 1 : 2))
            }
        }
    }

    @Test(arguments: ["POST", "PATCH", "LOCK"])
    func `a request that is not idempotent is not sent again when a kept connection ends`(method: String) async throws {
        try await LoopbackServer.run(script: Self.closesOnSecond) { server in
            try await CurlTransport.run { transport in
                _ = try await transport.send(HTTPRequest(url: server.url("/first"))).get()
                let request = HTTPRequest(method: method, url: server.url("/second"), body: .bytes([1]))
                let failure = try #require(await transport.send(request).failure)
                #expect(failure.kind == .transfer)
                #expect(failure.code == 42)
                #expect(failure.wasSent)
                #expect(failure.phase == .awaitingResponse)
                #expect(failure.message.hasSuffix("\(method) is not idempotent, so it was not sent again"))
                #expect(server.requests.map(\.target) == ["/first", "/second"])
                // The transport keeps working.
                #expect(await transport.send(HTTPRequest(url: server.url("/third"))).response?.status == 200)
            }
        }
    }

    @Test(arguments: ["GET", "PUT", "DELETE"])
    func `an idempotent request is sent again when a kept connection ends`(method: String) async throws {
        try await LoopbackServer.run(script: Self.closesOnSecond) { server in
            try await CurlTransport.run { transport in
                _ = try await transport.send(HTTPRequest(url: server.url("/first"))).get()
                let request = HTTPRequest(method: method, url: server.url("/second"))
                #expect(await transport.send(request).response?.status == 200)
                #expect(server.requests.map(\.target) == ["/first", "/second", "/second"])
                #expect(server.requests.map(\.connection) == [0, 0, 1])
            }
        }
    }

    @Test(arguments: ["GET", "PUT"])
    func `an idempotent request is sent again on a new connection, not on another kept one`(method: String) async throws
    {
        let arrivals = Mutex(0)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            arrivals.withLock { $0 += 1 }
            // Ensures that three connections are kept.
            while arrivals.withLock({ $0 < 3 }) && connection.pass(milliseconds: 1) {}
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            connection.readRequest()
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                await withDiscardingTaskGroup { group in
                    for _ in 0..<3 {
                        group.addTask { _ = await transport.send(HTTPRequest(url: server.url("/first"))) }
                    }
                }
                let response = try await transport.send(HTTPRequest(method: method, url: server.url("/second"))).get()
                #expect(!response.reusedConnection)
                #expect(server.requests.map(\.target) == ["/first", "/first", "/first", "/second", "/second"])
                #expect(server.requests.last?.connection == 3)
            }
        }
    }

    @Test func `a response that claims to be HTTP 2 on HTTP 1 fails, and no connection is shared`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let isFree = Mutex(false)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while let target = connection.readRequest()?.target {
                if target == "/claim" {
                    connection.write("HTTP/2 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
                    return
                }
                if target == "/slow" {
                    arrived.yield()
                    while !isFree.withLock({ $0 }) && connection.pass(milliseconds: 1) {}
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(target.count)\r\n\r\n\(target)")
            }
        }
        var arrival = arrivals.makeAsyncIterator()
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                async let slow = transport.send(HTTPRequest(url: server.url("/slow"), timeout: .seconds(100)))
                await arrival.next()
                let failure = await transport.send(HTTPRequest(url: server.url("/claim"))).failure
                #expect(failure?.kind == .transfer)
                #expect(failure?.message.hasSuffix("claims to be HTTP/2 on an HTTP/1.1 connection") == true)
                let next = await transport.send(HTTPRequest(url: server.url("/next"), timeout: .seconds(100)))
                #expect(next.response?.body == Array("/next".utf8))
                isFree.withLock { $0 = true }
                #expect(await slow.response?.body == Array("/slow".utf8))
                #expect(server.requests.map(\.connection) == [0, 1, 2])
            }
        }
    }

    @Test(arguments: ["GET", "POST"])
    func `bytes received on a kept connection before a request are not its response`(method: String) async throws {
        let response: @Sendable (String) -> String = { text in
            "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
        }
        let first = Mutex<LoopbackConnection?>(nil)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            if connection.number == 0 { first.withLock { $0 = connection } }
            while let request = connection.readRequest() {
                connection.write(response(request.target))
            }
        }
        let writesMore: @Sendable (ReceivedRequest) -> ServerResponse = { _ in
            first.withLock { _ = $0?.write(response("/wrong")) }
            return .text("written")
        }
        try await LoopbackServer.run(script: script) { server in
            try await LoopbackServer.run(answer: writesMore) { other in
                try await CurlTransport.run { transport in
                    #expect(await transport.send(HTTPRequest(url: server.url("/a"))).response?.body == Array("/a".utf8))
                    #expect(await transport.send(HTTPRequest(url: other.url())).response?.status == 200)
                    let request = HTTPRequest(method: method, url: server.url("/b"))
                    #expect(await transport.send(request).response?.body == Array("/b".utf8))
                    #expect(server.requests.map(\.connection) == [0, 1])
                }
            }
        }
        // The connection has the server, and with it the script, which has the connection.
        first.withLock { $0 = nil }
    }

    @Test func `a connection that the server has closed is not reused`() async throws {
        let (closings, closed) = AsyncStream.makeStream(of: Void.self)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            connection.close()
            closed.yield()
        }
        var closing = closings.makeAsyncIterator()
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                for _ in 0..<5 {
                    let response = try await transport.send(HTTPRequest(method: "POST", url: server.url())).get()
                    #expect(!response.reusedConnection)
                    await closing.next()
                }
            }
            #expect(server.requests.count == 5)
        }
    }

    @Test func `a request can connect to an address other than its URL's`() async throws {
        try await LoopbackServer.run(answer: { .text($0.target) }) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(
                    url: "http://staging.example.invalid/a",
                    connectTo: SocketEndpoint(host: "127.0.0.1", port: server.port)
                )
                let response = try await transport.send(request).get()
                #expect(response.body == Array("/a".utf8))
                #expect(response.url == "http://staging.example.invalid/a")
                #expect(server.requests[0].values(named: "Host") == ["staging.example.invalid"])
            }
        }
    }

    @Test func `a request to another address does not reuse the connection to the URL's address`() async throws {
        try await LoopbackServer.run(answer: { _ in .text("here") }) { here in
            try await LoopbackServer.run(answer: { _ in .text("there") }) { there in
                try await CurlTransport.run { transport in
                    var request = HTTPRequest(url: here.url())
                    #expect(await transport.send(request).response?.body == Array("here".utf8))
                    request.connectTo = SocketEndpoint(host: "127.0.0.1", port: there.port)
                    #expect(await transport.send(request).response?.body == Array("there".utf8))
                    request.connectTo = nil
                    #expect(await transport.send(request).response?.body == Array("here".utf8))
                }
            }
        }
    }
}
