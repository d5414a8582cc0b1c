import Synchronization
import Testing
import WaybillRuntime
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct PriorityTests {
    @Test func `requests that wait for a connection are sent by priority, then in order of arrival`() async throws {
        let gate = Mutex(false)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while let request = connection.readRequest() {
                while request.target == "/first" && !gate.withLock({ $0 }) {
                    guard connection.pass(milliseconds: 1) else { return }
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        try await LoopbackServer.run(script: script) { server in
            try await LoopbackServer.run(answer: { _ in .text("ok") }) { other in
                try await CurlTransport.run { transport in
                    @Sendable func send(_ path: String, _ priority: Priority) async {
                        let request = HTTPRequest(url: server.url(path), maximumConnectionsPerOrigin: 1)
                            .with { $0.priority = priority }
                        #expect(await transport.send(request).response?.status == 200)
                    }
                    await withTaskExecutorPreference(transport.taskExecutor) {
                        await withTaskGroup { group in
                            group.addTask { await send("/first", .low) }
                            _ = await transport.send(HTTPRequest(url: other.url()))
                            let waiting: [(String, Priority)] = [
                                ("/low", .low), ("/default/1", .default), ("/high/1", .high), ("/default/2", .default),
                                ("/high/2", .high),
                            ]
                            for (path, priority) in waiting { group.addTask { await send(path, priority) } }
                            // On one thread, these are sent last, so the others are waiting when they finish.
                            for _ in 0..<3 { _ = await transport.send(HTTPRequest(url: other.url())) }
                            gate.withLock { $0 = true }
                        }
                    }
                }
            }
            let expected = ["/first", "/high/1", "/high/2", "/default/1", "/default/2", "/low"]
            #expect(server.requests.map(\.target) == expected)
        }
    }
}
