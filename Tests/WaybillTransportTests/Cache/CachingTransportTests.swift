import Synchronization
import Testing
import WaybillFormats
import WaybillJSON
import WaybillRuntime
import WaybillTestSupport

@testable import WaybillTransport

/// The cache over sockets.
@Suite(.timeLimit(.minutes(5))) struct CachingTransportTests {
    private let folder = TemporaryFolder()

    private func request(
        _ url: String,
        _ mode: CacheMode = .default,
        method: String = "GET"
    ) -> HTTPRequest {
        HTTPRequest(method: method, url: url).with { $0.cache = mode }
    }

    private func run(
        now: @escaping @Sendable () -> Timestamp = { .now() },
        _ body: (CachingTransport) async throws -> Void
    ) async throws {
        try await CurlTransport.run { transport in
            try await body(CachingTransport(transport, stores: CacheStores(userFolder: folder.path), now: now))
        }
    }

    @Test(.enabled(if: NginxServer.isWanted, "nginx is not installed"))
    func `responses of nginx are fresh, then stale, then confirmed`() async throws {
        let files = TemporaryFolder()
        files.write("from a file", to: "file.txt")
        let seconds = Mutex<Int64>(0)
        let now: @Sendable () -> Timestamp = {
            Timestamp(nanoseconds: Timestamp.now().nanoseconds + seconds.withLock { $0 } * 1_000_000_000)
        }
        let log = try await NginxServer.run("root \(files.path); expires 60s;") { server in
            try await run(now: now) { transport in
                var uses: [CacheUse?] = []
                for later: Int64 in [0, 0, 120, 120] {
                    seconds.withLock { $0 = later }
                    let response = try await transport.send(request(server.url("/file.txt"))).get()
                    #expect(response.status == 200)
                    #expect(response.body == Array("from a file".utf8))
                    uses.append(response.cacheUse)
                }
                // The server's clock is now 120 s behind, so its response already has that age on arrival.
                #expect(uses == [.miss, .hit, .revalidated, .revalidated])
            }
            server.stop()
            return server.log
        }
        #expect(log.map(\.status) == [200, 304, 304])
    }

    @Test func `each request of a redirect is looked up on its own`() async throws {
        let fields = "Cache-Control: max-age=60\r\nContent-Length: 0\r\n\r\n"
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while let received = connection.readRequest() {
                let isFirst = received.target == "/first"
                connection.write(
                    isFirst ? "HTTP/1.1 302 Found\r\nLocation: /second\r\n\(fields)" : "HTTP/1.1 200 OK\r\n\(fields)"
                )
            }
        }
        try await LoopbackServer.run(script: script) { server in
            try await run { transport in
                let first = try await transport.send(request(server.url("/first")), followingRedirects: 3).get()
                #expect(first.cacheUse == .miss)
                let second = try await transport.send(request(server.url("/second"))).get()
                #expect(second.cacheUse == .hit)
                let third = try await transport.send(request(server.url("/first")), followingRedirects: 3).get()
                #expect(third.cacheUse == .hit)
                #expect(server.requests.map(\.target) == ["/first", "/second"])
            }
        }
    }

    @Test func `modes, secrets and unsafe methods determine how the cache is used`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while connection.readRequest() != nil {
                connection.write("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        try await LoopbackServer.run(script: script) { server in
            try await run { transport in
                func use(_ mode: CacheMode, method: String = "GET") async -> CacheUse? {
                    await transport.send(request(server.url("/a"), mode, method: method)).response?.cacheUse
                }
                #expect(await use(.onlyIfCached) == nil)
                #expect(server.requests.isEmpty)
                var secret = request(server.url("/a"))
                secret.headers = [HTTPField(name: "X-Key", value: "k", isSensitive: true)]
                #expect(await transport.send(secret).response?.cacheUse == nil)
                #expect(CacheStore(folder: folder.path).files().isEmpty)
                #expect(await use(.noStore) == nil)
                #expect(await use(.forceCache) == .miss)
                #expect(await use(.default) == .hit)
                #expect(await use(.onlyIfCached) == .hit)
                #expect(await use(.reload) == .miss)
                #expect(await use(.default) == .hit)
                #expect(await use(.noStore, method: "POST") == nil)
                #expect(await use(.onlyIfCached) == nil)
                #expect(await use(.default) == .miss)
            }
        }
    }

    @Test func `a request to which a jar may add cookies does not use the cache`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while let received = connection.readRequest() {
                let cookie = received.target == "/login" ? "Set-Cookie: id=1\r\n" : ""
                connection.write("HTTP/1.1 200 OK\r\n\(cookie)Cache-Control: max-age=60\r\nContent-Length: 0\r\n\r\n")
            }
        }
        try await LoopbackServer.run(script: script) { server in
            try await run { transport in
                func use(_ path: String, _ cookies: TransferOptions.Cookies) async -> CacheUse? {
                    let request = request(server.url(path)).with { $0.cookies = cookies }
                    return await transport.send(request).response?.cacheUse
                }
                #expect(await use("/a", .run) == .miss)
                #expect(await use("/a", .run) == .hit)
                #expect(await use("/login", .run) == .miss)
                #expect(await use("/a", .run) == nil)
                #expect(await use("/a", .off) == .hit)
                #expect(await use("/a", .jar("\(folder.path)/jar")) == nil)
            }
        }
    }
}
