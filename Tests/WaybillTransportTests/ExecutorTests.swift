import Synchronization
import Testing
import WaybillPlatform
import WaybillTestSupport
import WaybillTransport

/// Tasks on the transport's own threads.
@Suite(.timeLimit(.minutes(5))) struct ExecutorTests {
    /// A number that identifies the current thread.
    static var currentThread: Int64 { waybill_current_thread() }

    @Test(arguments: [(lines: 4, others: 0), (lines: 20, others: 1)])
    func `tasks run on the transfer thread while transfers are few, and also on a second one when there are many`(
        lines: Int,
        others: Int
    ) async throws {
        try await LoopbackServer.run(answer: { .text($0.target) }) { server in
            try await CurlTransport.run { transport in
                let (own, seen) = await withTaskExecutorPreference(transport.taskExecutor) {
                    let own = Self.currentThread
                    let seen = await withTaskGroup(of: Set<Int64>.self) { group in
                        for line in 0..<lines {
                            group.addTask {
                                await Self.threads(ofRequests: 20, from: transport, to: server, "/\(line)")
                            }
                        }
                        return await group.reduce(into: Set<Int64>()) { $0.formUnion($1) }
                    }
                    return (own, seen)
                }
                // If all the last responses arrive at once, none is handled on the transfer thread.
                #expect(seen.subtracting([own]).count == others)
                #expect(server.requests.count == lines * 20)
            }
        }
    }

    @Test func `tasks return to the transport's thread when there are few transfers again`() async throws {
        try await LoopbackServer.run(answer: { .text($0.target) }) { server in
            try await CurlTransport.run { transport in
                await withTaskExecutorPreference(transport.taskExecutor) {
                    let before = await Self.threads(ofRequests: 5, from: transport, to: server, "/before")
                    await withTaskGroup(of: Void.self) { group in
                        for line in 0..<20 {
                            group.addTask {
                                _ = await Self.threads(ofRequests: 5, from: transport, to: server, "/\(line)")
                            }
                        }
                    }
                    _ = await transport.send(HTTPRequest(url: server.url()))
                    let after = await Self.threads(ofRequests: 5, from: transport, to: server, "/after")
                    #expect(after == before)
                }
            }
        }
    }

    /// Sends requests one after another and returns the threads on which it resumed.
    static func threads(
        ofRequests count: Int,
        from transport: CurlTransport,
        to server: LoopbackServer,
        _ path: String
    ) async -> Set<Int64> {
        var threads: Set<Int64> = []
        for number in 0..<count {
            let path = "\(path)/\(number)"
            let response = await transport.send(HTTPRequest(url: server.url(path))).response
            #expect(response?.body == Array(path.utf8))
            threads.insert(currentThread)
        }
        return threads
    }

    @Test func `a task that yields continuously does not block transfers`() async throws {
        try await LoopbackServer.run(answer: { .text($0.target) }) { server in
            try await CurlTransport.run { transport in
                await withTaskExecutorPreference(transport.taskExecutor) {
                    let restless = Task { while !Task.isCancelled { await Task.yield() } }
                    for _ in 0..<50 {
                        #expect(await transport.send(HTTPRequest(url: server.url())).response?.status == 200)
                    }
                    restless.cancel()
                    await restless.value
                }
            }
        }
    }

    @Test func `a task that ran on another thread returns to the transport's thread`() async throws {
        try await CurlTransport.run { transport in
            await withTaskExecutorPreference(transport.taskExecutor) {
                let here = Self.currentThread
                let there = await withTaskExecutorPreference(globalConcurrentExecutor) { Self.currentThread }
                #expect(there != here)
                #expect(Self.currentThread == here)
            }
        }
    }

    @Test func `a body receiver runs on another thread`() async throws {
        try await LoopbackServer.run(answer: { _ in .text("hello") }) { server in
            try await CurlTransport.run { transport in
                await withTaskExecutorPreference(transport.taskExecutor) {
                    let here = Self.currentThread
                    let collector = Collector(take: { _ in
                        #expect(Self.currentThread != here)
                        return true
                    })
                    let request = HTTPRequest(url: server.url())
                    let response = await transport.send(request, monitor: nil, receiver: collector).response
                    #expect(response?.status == 200)
                    #expect(collector.got.count == 5)
                    #expect(Self.currentThread == here)
                }
            }
        }
    }

    @Test func `tasks continue on other threads after a shutdown, even one that a task requested`() async throws {
        try await LoopbackServer.run(answer: { .text($0.target) }) { server in
            let transport = try CurlTransport()
            await withTaskExecutorPreference(transport.taskExecutor) {
                #expect(await transport.send(HTTPRequest(url: server.url())).response?.status == 200)
                await transport.shutDown()
                #expect(await transport.send(HTTPRequest(url: server.url())).failure?.kind == .cancelled)
                for _ in 0..<10 { await Task.yield() }
                let other = Task { 7 }
                #expect(await other.value == 7)
                await transport.shutDown()
            }
        }
    }

    @Test func `a transport can be deallocated by a task on its own thread`() async throws {
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            connection.waitForEnd()
            ended.yield()
        }
        try await LoopbackServer.run(script: script) { server in
            let box = Mutex<CurlTransport?>(try CurlTransport())
            let executor = box.withLock { $0?.taskExecutor }
            await withTaskExecutorPreference(executor) {
                #expect(await box.withLock { $0 }?.send(HTTPRequest(url: server.url())).response?.status == 200)
                box.withLock { $0 = nil }
                for _ in 0..<10 { await Task.yield() }
            }
            // Its connections were closed with it.
            for await _ in ends { break }
        }
    }
}
