import Synchronization
import Testing
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct MonitorTests {
    @Test func `a paused transfer does not start until it is resumed`() async throws {
        try await LoopbackServer.run(answer: { .text($0.target) }) { server in
            try await CurlTransport.run { transport in
                let monitor = TransferMonitor()
                monitor.pause()
                async let held = transport.send(HTTPRequest(url: server.url("/held")), monitor: monitor)
                for _ in 0..<20 { _ = try await transport.send(HTTPRequest(url: server.url("/other"))).get() }
                #expect(!server.requests.contains { $0.target == "/held" })
                monitor.unpause()
                #expect(await held.response?.body == Array("/held".utf8))
            }
        }
    }

    @Test func `the timeout does not run while a transfer is paused`() async throws {
        let total = 48 << 20
        let (result, heldAt, events) = try await withGrowingTime(from: .milliseconds(450)) { timeout in
            try await self.result(ofHeldTransferOf: total, within: timeout)
        } until: { _, _, events in
            events == [.sent]
        }
        #expect(heldAt < total)
        #expect(events == [.sent])
        // The rest may take longer than the time that is left.
        #expect(result.response?.body.count == total || result.failure?.phase == .receiving)
    }

    /// The result of a transfer that is paused for longer than the timeout once the request has been sent, the number
    /// of bytes that the server had sent by then, and the events.
    private func result(
        ofHeldTransferOf total: Int,
        within timeout: Duration
    ) async throws -> (Result<HTTPResponse, TransportFailure>, heldAt: Int, events: [TransferMonitor.Event]) {
        let (heldUp, signal) = AsyncStream.makeStream(of: Int.self)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            let block = [UInt8](repeating: 7, count: 1 << 20)
            let sent = connection.writeUntilHeldUp(block, for: timeout * 1.25, limit: total)
            signal.yield(sent)
            for _ in 0..<(total - sent) / block.count { connection.write(block) }
            connection.write(Array(block.prefix((total - sent) % block.count)))
            connection.waitForEnd()
        }
        return try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let events = Mutex<[TransferMonitor.Event]>([])
                let own = Mutex<TransferMonitor?>(nil)
                let monitor = TransferMonitor { event in
                    events.withLock { $0.append(event) }
                    // Called when the request has been sent. The lock ensures that no pause follows the last 'unpause'.
                    own.withLock { $0?.pause() }
                }
                own.withLock { $0 = monitor }
                let request = HTTPRequest(url: server.url(), timeout: timeout, maximumBodyBytes: total)
                async let result = transport.send(request, monitor: monitor)
                let heldAt = await heldUp.first { _ in true } ?? 0
                let seen = events.withLock { $0 }
                own.withLock { $0 = nil }
                monitor.unpause()
                return (await result, heldAt, seen)
            }
        }
    }

    @Test func `a paused transfer can be cancelled, and ends when the transport shuts down`() async throws {
        try await LoopbackServer.run(script: ServerFault.stallsInBody.script) { server in
            let transport = try CurlTransport()
            let (sent, signal) = AsyncStream.makeStream(of: Void.self)
            let monitors = (0..<4).map { _ in TransferMonitor { _ in signal.yield() } }
            monitors[0].pause()
            monitors[1].pause()
            let tasks = monitors.map { monitor in
                Task { await transport.send(HTTPRequest(url: server.url()), monitor: monitor) }
            }
            var iterator = sent.makeAsyncIterator()
            await iterator.next()
            await iterator.next()
            monitors[2].pause()
            monitors[3].pause()
            tasks[0].cancel()
            tasks[2].cancel()
            #expect(await tasks[0].value.failure?.kind == .cancelled)
            #expect(await tasks[2].value.failure?.kind == .cancelled)
            await transport.shutDown()
            #expect(await tasks[1].value.failure?.message == "the transport was shut down")
            #expect(await tasks[3].value.failure?.message == "the transport was shut down")
        }
    }

    @Test func `an upload that is paused and resumed many times is sent completely`() async throws {
        let body = [UInt8](repeating: 7, count: 16 << 20)
        try await LoopbackServer.run(answer: { ServerResponse(body: Array("\($0.body.count)".utf8)) }) { server in
            try await CurlTransport.run { transport in
                let monitor = TransferMonitor()
                async let result = transport.send(
                    HTTPRequest(method: "POST", url: server.url(), body: .bytes(body)),
                    monitor: monitor
                )
                for _ in 0..<50 {
                    monitor.pause()
                    await Task.yield()
                    monitor.unpause()
                    await Task.yield()
                }
                #expect(await result.response?.body == Array("\(body.count)".utf8))
            }
        }
    }

    @Test(.enabled(if: NginxServer.isWanted, "nginx is not installed"))
    func `a paused HTTP 2 transfer does not block others on its connection`() async throws {
        let certificates = try await TLSTests.certificates.value
        let folder = TemporaryFolder()
        folder.write([UInt8](repeating: 7, count: 20 << 20), to: "large")
        let directives =
            certificates.directives(.valid) + "root \(folder.path); location /c { return 200 $connection; }"
        try await NginxServer.run(directives, listen: "ssl http2") { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(url: "https://127.0.0.1:\(server.port)/c").with {
                    $0.tls.certificateAuthorities = certificates.file("ca.pem")
                }
                let connection = try await transport.send(request).get().body
                var large = request
                large.url = "https://127.0.0.1:\(server.port)/large"
                let (sent, signal) = AsyncStream.makeStream(of: Void.self)
                let own = Mutex<TransferMonitor?>(nil)
                let monitor = TransferMonitor { _ in
                    own.withLock { $0?.pause() }
                    signal.yield()
                }
                own.withLock { $0 = monitor }
                async let held = transport.send(large, monitor: monitor)
                _ = await sent.first { _ in true }
                for _ in 0..<50 { #expect(await transport.send(request).response?.body == connection) }
                own.withLock { $0 = nil }
                monitor.unpause()
                let response = await held.response
                #expect(response?.body.count == 20 << 20)
                #expect(response?.httpVersion == "2")
            }
        }
    }

    @Test func `progress is reported in both directions, at most ten times a second`() async throws {
        let body = [UInt8](repeating: 7, count: 24 << 20)
        let total = 10_000
        let isReceiving = Atomic(false)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            // Until progress of the response has been reported, at least three times if the machine is fast enough.
            for number in 1..<total where number < 30 || !isReceiving.load(ordering: .relaxed) {
                connection.write([7])
                guard connection.pass(milliseconds: 10) else { return }
            }
            connection.close()
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let told = Mutex<[TransferMonitor.Event]>([])
                let monitor = TransferMonitor { event in
                    told.withLock { $0.append(event) }
                    if case .progress(let progress) = event, progress.received > 0 {
                        isReceiving.store(true, ordering: .relaxed)
                    }
                }
                let request = HTTPRequest(method: "POST", url: server.url(), body: .bytes(body))
                let start = ContinuousClock.now
                _ = await transport.send(request, monitor: monitor)
                let time = ContinuousClock.now - start
                let events = told.withLock { $0 }
                #expect(events.filter { $0 == .sent }.count == 1)
                let progress = events.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
                #expect(!progress.isEmpty && progress.count <= Int(time / .milliseconds(100)))
                for (earlier, later) in zip(progress, progress.dropFirst()) {
                    #expect(later.sent + later.received > earlier.sent + earlier.received)
                }
                let last = try #require(progress.last)
                #expect(last.sent == body.count && last.sentTotal == body.count)
                #expect((1...total).contains(last.received) && last.receivedTotal == total)
            }
        }
    }

    @Test func `a transport can be shut down with thousands of requests in flight`() async throws {
        try await LoopbackServer.run(script: ServerFault.silent.script) { server in
            let transport = try CurlTransport()
            let failures = await withTaskGroup { group in
                for number in 0..<3000 {
                    group.addTask {
                        let request = HTTPRequest(url: server.url("/\(number)"), maximumConnectionsPerOrigin: 200)
                        if number.isMultiple(of: 3) {
                            return await transport.send(request, monitor: TransferMonitor(), receiver: Collector())
                                .failure
                        }
                        return await transport.send(request).failure
                    }
                }
                group.addTask {
                    await transport.shutDown()
                    return nil
                }
                return await group.reduce(into: [TransportFailure.Kind?]()) { $0.append($1?.kind) }
            }
            #expect(failures.filter { $0 == .cancelled }.count == 3000)
        }
    }
}
