import Testing
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct ReachabilityTests {
    @Test(arguments: ["http", "https"])
    func `a connection is established and closed, and nothing is sent`(scheme: String) async throws {
        let (endings, ended) = AsyncStream.makeStream(of: Int.self)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            ended.yield(connection.read(count: 1)?.count ?? 0)
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                var request = HTTPRequest(
                    method: "POST",
                    url: "\(scheme)://a.example/path",
                    headers: [HTTPField(name: "A", value: "b")],
                    body: .bytes([1])
                )
                request.connectTo = server.endpoint
                #expect(await transport.reach(request) == nil)
                #expect(await endings.first { _ in true } == 0)
                #expect(await transport.reach(request) == nil)
                // A connection is established before the server has accepted it.
                #expect(await endings.first { _ in true } == 0)
            }
            #expect(server.connectionCount == 2)
        }
    }

    @Test func `an unreachable server causes the same failure as for a request`() async throws {
        let port = try LoopbackSocket.refusingPort()
        let silent = try LoopbackSocket.unresponsivePort()
        let long = String(repeating: "a", count: 64) + ".test"
        try await CurlTransport.run { transport in
            let refused = await transport.reach(HTTPRequest(url: "https://127.0.0.1:\(port)/"))
            #expect(refused?.kind == .connect)
            #expect(refused?.message == "could not connect to 127.0.0.1:\(port): connection refused")
            #expect(refused?.wasSent == false)
            let late = await transport.reach(
                HTTPRequest(url: "http://127.0.0.1:\(silent)/", connectTimeout: .milliseconds(200))
            )
            #expect(late?.kind == .timeout)
            #expect(await transport.reach(HTTPRequest(url: "http://\(long)/"))?.kind == .dns)
            #expect(await transport.reach(HTTPRequest(url: "file:///"))?.code == 1)
        }
    }

    @Test func `a server at its connection limit is reachable`() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let (endings, ended) = AsyncStream.makeStream(of: Void.self)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            if connection.readRequest() == nil {
                ended.yield()
            } else {
                arrival.yield()
                connection.waitForEnd()
            }
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run(maximumConnections: 1) { transport in
                let request = HTTPRequest(url: server.url(), maximumConnectionsPerOrigin: 1)
                let busy = Task { await transport.send(request) }
                for await _ in arrivals { break }
                for _ in 0..<2 {
                    #expect(await transport.reach(request) == nil)
                    for await _ in endings { break }
                }
                busy.cancel()
                #expect(await busy.value.failure?.kind == .cancelled)
            }
            #expect(server.connectionCount == 3)
        }
    }

    @Test func `a probe can be cancelled`() async throws {
        let silent = try LoopbackSocket.unresponsivePort()
        try await CurlTransport.run { transport in
            let task = Task { await transport.reach(HTTPRequest(url: "http://127.0.0.1:\(silent)/")) }
            task.cancel()
            #expect(await task.value?.kind == .cancelled)
        }
    }
}
