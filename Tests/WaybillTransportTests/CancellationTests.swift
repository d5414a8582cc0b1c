import Testing
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    /// Runs a server that reports when it has read a request and when the connection has ended.
    func withStallingServer(
        answer: String = "",
        _ body: (LoopbackServer, _ progress: inout AsyncStream<String>.Iterator) async throws -> Void
    ) async throws {
        let (stream, progress) = AsyncStream.makeStream(of: String.self)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            guard let request = connection.readRequest() else { return }
            connection.write(answer)
            progress.yield("read \(request.target)")
            connection.waitForEnd()
            progress.yield("ended \(request.target)")
        }
        try await LoopbackServer.run(script: script) { server in
            var iterator = stream.makeAsyncIterator()
            try await body(server, &iterator)
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"])
    func `cancelling a transfer ends its connection at once`(answer: String) async throws {
        try await withStallingServer(answer: answer) { server, progress in
            try await CurlTransport.run { transport in
                let task = Task { await transport.send(HTTPRequest(url: server.url("/a"))) }
                #expect(await progress.next() == "read /a")
                task.cancel()
                let failure = try #require(await task.value.failure)
                #expect(failure.kind == .cancelled)
                #expect(failure.wasSent)
                #expect(failure.message == "the request was cancelled")
                #expect(await progress.next() == "ended /a")
            }
        }
    }

    @Test func `a waiting request that is cancelled is never sent, and those after it are`() async throws {
        try await withStallingServer { server, progress in
            try await CurlTransport.run { transport in
                let first = Task {
                    await transport.send(HTTPRequest(url: server.url("/first"), maximumConnectionsPerOrigin: 1))
                }
                #expect(await progress.next() == "read /first")
                let second = Task {
                    await transport.send(HTTPRequest(url: server.url("/second"), maximumConnectionsPerOrigin: 1))
                }
                second.cancel()
                let failure = try #require(await second.value.failure)
                #expect(failure.kind == .cancelled)
                #expect(failure.phase == .waiting)
                #expect(!failure.wasSent)
                let third = Task {
                    await transport.send(HTTPRequest(url: server.url("/third"), maximumConnectionsPerOrigin: 1))
                }
                first.cancel()
                #expect(await first.value.failure?.kind == .cancelled)
                // They use two connections, so they may arrive in any order.
                let ended = [await progress.next(), await progress.next()]
                #expect(Set(ended) == ["ended /first", "read /third"])
                third.cancel()
                #expect(await third.value.failure?.kind == .cancelled)
            }
            #expect(server.requests.map(\.target) == ["/first", "/third"])
        }
    }

    @Test func `a request of a cancelled task is not sent`() async throws {
        try await LoopbackServer.run(answer: { _ in .text("ok") }) { server in
            try await CurlTransport.run { transport in
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return await transport.send(HTTPRequest(url: server.url()))
                }
                #expect(await task.value.failure?.kind == .cancelled)
            }
            #expect(server.connectionCount == 0)
        }
    }

    @Test func `cancelling a request ends an attempt to connect`() async throws {
        let url = "http://127.0.0.1:\(try LoopbackSocket.unresponsivePort())/"
        try await CurlTransport.run { transport in
            // Longer than the tasks may have to wait on a busy machine.
            let request = HTTPRequest(url: url, timeout: .seconds(600), connectTimeout: .seconds(600))
            let task = Task { await transport.send(request) }
            await Task.yield()
            task.cancel()
            let failure = try #require(await task.value.failure)
            #expect(failure.kind == .cancelled)
            #expect(!failure.wasSent)
        }
    }

    @Test func `cancelling at any time results in a response or a cancellation, and the transport keeps working`()
        async throws
    {
        try await LoopbackServer.run(answer: { .text($0.target) }) { server in
            try await CurlTransport.run { transport in
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<400 {
                        let task = Task { await transport.send(HTTPRequest(url: server.url("/\(number)"))) }
                        group.addTask {
                            for _ in 0..<(number % 40) { await Task.yield() }
                            task.cancel()
                            switch await task.value {
                            case .success(let response): #expect(response.body == Array("/\(number)".utf8))
                            case .failure(let failure): #expect(failure.kind == .cancelled, "\(failure)")
                            }
                        }
                    }
                }
                #expect(await transport.send(HTTPRequest(url: server.url("/last"))).response?.status == 200)
            }
        }
    }

    @Test func `shutting down cancels running and waiting requests, and joins the thread`() async throws {
        try await withStallingServer { server, progress in
            let transport = try CurlTransport()
            let url = server.url("/")
            let tasks = (0..<20).map { _ in
                Task { await transport.send(HTTPRequest(url: url, maximumConnectionsPerOrigin: 4)) }
            }
            for _ in 0..<4 { #expect(await progress.next() == "read /") }
            await transport.shutDown()
            for task in tasks {
                let failure = try #require(await task.value.failure)
                #expect(failure.kind == .cancelled)
                #expect(failure.message == "the transport was shut down")
            }
            #expect(server.requests.count == 4)
            await transport.shutDown()
            let late = await transport.send(HTTPRequest(url: url))
            #expect(late.failure?.kind == .cancelled)
        }
    }

    @Test func `a transport that is deallocated closes its connections`() async throws {
        let (stream, progress) = AsyncStream.makeStream(of: Void.self)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            connection.write("HTTP/1.1 204 No Content\r\n\r\n")
            connection.waitForEnd()
            progress.yield()
        }
        try await LoopbackServer.run(script: script) { server in
            do {
                let transport = try CurlTransport()
                #expect(await transport.send(HTTPRequest(url: server.url())).response?.status == 204)
            }
            var ended = stream.makeAsyncIterator()
            await ended.next()
        }
    }
}
