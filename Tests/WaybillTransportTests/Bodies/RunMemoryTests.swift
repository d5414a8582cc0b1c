import Synchronization
import Testing
import WaybillRuntime
import WaybillTestSupport

@testable import WaybillTransport

/// The memory that the bodies of all responses share.
@Suite(.timeLimit(.minutes(5))) struct RunMemoryTests {
    @Test func `what does not fit waits until another share is released, and one may exceed the limit`() async {
        let memory = RunMemory(limit: 100)
        let first = RunMemory.Share(of: memory)
        #expect(first.grow(to: 80) {})
        let second = RunMemory.Share(of: memory)
        // Nothing else waits, so that it may exceed the limit.
        #expect(second.grow(to: 70) {})
        var third: RunMemory.Share? = RunMemory.Share(of: memory)
        await confirmation("a third one is woken when the second stops growing") { woken in
            #expect(third?.grow(to: 10) { woken() } == false)
            second.stopGrowing()
        }
        #expect(third?.grow(to: 10) {} == true)
        #expect(first.grow(to: 90) {} == false)
        third = nil
        #expect(first.grow(to: 90) {})
    }

    @Test func `a task that waits for memory goes on when some is released, and when it is cancelled`() async {
        let memory = RunMemory(limit: 100)
        var first: RunMemory.Share? = RunMemory.Share(of: memory)
        #expect(first?.grow(to: 200) {} == true)
        let cancelled = Task { await RunMemory.Share(of: memory).grow(to: 1) }
        cancelled.cancel()
        await cancelled.value
        async let grown: Void = RunMemory.Share(of: memory).grow(to: 1)
        first = nil
        await grown
    }

    @Test func `values that are kept never exceed the limit, and make others wait`() {
        let memory = RunMemory(limit: 100)
        var kept: RunMemory.Share? = RunMemory.Share(of: memory)
        #expect(kept?.keep(60) == true)
        #expect(kept?.keep(60) == false)
        let other = RunMemory.Share(of: memory)
        #expect(other.keep(40))
        other.absorb(RunMemory.Share(of: memory))
        let first = RunMemory.Share(of: memory)
        first.note(10)
        #expect(first.grow(to: 20) {})
        let second = RunMemory.Share(of: memory)
        #expect(!second.grow(to: 1) {})
        if let kept { other.absorb(kept) }
        kept = nil
        #expect(!second.keep(1))
    }

    @Test func `each reader of a shared body counts what it decodes, and keeps the memory of the body`() {
        let memory = RunMemory(limit: 100)
        var response: HTTPResponse? = HTTPResponse(status: 200, url: "")
        response?.memory = RunMemory.Share(of: memory)
        #expect(response?.memory?.grow(to: 120) {} == true)
        var shared = response?.shared
        response = nil
        let other = RunMemory.Share(of: memory)
        // The body may no longer exceed the limit, but it still exists.
        #expect(other.grow(to: 1) {})
        #expect(shared?.memory?.grow(to: 1) {} == false)
        shared = nil
        #expect(other.grow(to: 100) {})
        #expect(RunMemory.Share(of: memory, for: .request).grow(to: 1) {})
    }

    /// Eight bodies of three mebibytes, compressed or not, in a memory for two of them.
    @Test(arguments: [false, true])
    func `large bodies wait for memory, and all arrive`(isCoded: Bool) async throws {
        let body = [UInt8](repeating: 0, count: 3 << 20)
        let gzip = ["-c", "head -c \(body.count) /dev/zero | gzip"]
        let sent = isCoded ? try await Command.run("/bin/sh", gzip).output : body
        let coding = isCoded ? "Content-Encoding: gzip\r\n" : ""
        let head = "HTTP/1.1 200 OK\r\n\(coding)Content-Length: \(sent.count)\r\n\r\n"
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while connection.readRequest() != nil, connection.write(Array(head.utf8) + sent) {}
        }
        let inUse = Use()
        try await LoopbackServer.run(script: script) { server in
            let transport = try CurlTransport(memory: RunMemory(limit: 7 << 20))
            let url = server.url()
            let counts = await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let response = await transport.send(HTTPRequest(url: url)).response
                        inUse.change(by: 1)
                        await response?.memory?.grow(to: 27 * body.count)
                        inUse.change(by: -1)
                        response?.memory?.stopGrowing()
                        return response?.body.count
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts == Array(repeating: body.count, count: 8))
            // Two within the limit, and one that may exceed it.
            #expect(inUse.most <= 3)
            await transport.shutDown()
        }
    }

    @Test func `a large body over HTTP/2 fails if there is no memory for it`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            guard connection.readHTTP2Request() else { return }
            let piece = HTTP2Frame(.data, stream: 1, [UInt8](repeating: 7, count: 16 << 10))
            connection.write([.settings, .ok] + Array(repeating: piece, count: 128))
            connection.waitForEnd()
        }
        let memory = RunMemory(limit: 1 << 20)
        let other = RunMemory.Share(of: memory)
        #expect(other.grow(to: 2 << 20) {})
        try await LoopbackServer.run(script: script) { server in
            let transport = try CurlTransport(memory: memory)
            let request = HTTPRequest(url: server.url()).with { $0.version = .http2PriorKnowledge }
            let failure = await transport.send(request).failure
            #expect(failure?.message.contains("a request over HTTP/2 cannot wait") == true, "\(failure as Any)")
            await transport.shutDown()
        }
        #expect(other.grow(to: 3 << 20) {})
    }
}

/// How many responses are in use at once.
private final class Use: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func change(by difference: Int) {
        counts.withLock { $0 = ($0.now + difference, max($0.most, $0.now + difference)) }
    }
}
