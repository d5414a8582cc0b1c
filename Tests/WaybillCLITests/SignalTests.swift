import Testing
import WaybillData
import WaybillTestSupport
import WaybillTransport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite struct SignalTests {
    @Test(arguments: [SIGINT, SIGTERM])
    func `a run that is told to stop cancels what is under way and writes its results`(signal: Int32) async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { connection in
            connection.readRequest()
            arrived.yield()
            connection.waitForEnd()
        }
        defer { server.stop() }
        let folder = TemporaryFolder()
        folder.write(
            """
            waybill: 1
            graphs: {main: {chain: [{id: a, get: "\(server.url("/a"))"}, {id: b, get: "\(server.url("/b"))"}]}}
            """,
            to: "manifest.yaml"
        )
        let (starts, started) = AsyncStream.makeStream(of: Int32.self)
        async let run = Command.run(
            CommandCase.program,
            ["run", "manifest.yaml", "--out", "results"],
            in: folder.path,
            onStart: { started.yield($0) }
        )
        let process = try #require(await starts.first { _ in true })
        await arrivals.first { _ in true }
        Command.send(signal, to: process)

        let result = try await run
        #expect(result.status == 128 + signal)
        let summary = try JSONParser().parse(Array(try #require(folder.read("results/run.json")).utf8))
        #expect(summary["outcome"] == "interrupted")
        #expect(summary["steps"]?.array?.map { $0["outcome"] } == ["cancelled", "skipped"])
        #expect(server.requests.map(\.target) == ["/a"])
    }

    @Test func `the mock server answers from examples until it is told to stop`() async throws {
        let folder = TemporaryFolder()
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9/base"}}
            endpoints:
              a: {path: "/a/${inputs.x}", inputs: {x: string}, mock: [{body: {n: 1}}, {status: 201, body: text}]}
              b: {path: /b}
            """,
            to: "manifest.yaml"
        )
        let port = try LoopbackSocket.refusingPort()
        let (starts, started) = AsyncStream.makeStream(of: Int32.self)
        async let mock = Command.run(
            CommandCase.program,
            ["mock", "manifest.yaml", "--port", "\(port)"],
            in: folder.path,
            onStart: { started.yield($0) }
        )
        let process = try #require(await starts.first { _ in true })
        let transport = try CurlTransport()
        func get(_ path: String) async -> HTTPResponse? {
            // Until the server listens, connections are refused.
            for _ in 0..<20_000 {
                if case .success(let response) = await transport.send(
                    HTTPRequest(url: "http://127.0.0.1:\(port)\(path)")
                ) {
                    return response
                }
            }
            return nil
        }
        let first = try #require(await get("/base/a/1"))
        #expect(first.status == 200 && String(decoding: first.body, as: UTF8.self) == #"{"n":1}"#)
        let second = try #require(await get("/base/a/2"))
        #expect(second.status == 201 && String(decoding: second.body, as: UTF8.self) == "text")
        #expect(await get("/base/b")?.status == 404)
        await transport.shutDown()
        Command.send(SIGTERM, to: process)
        let result = try await mock
        #expect(result.status == 143)
        #expect(result.outputText.contains("GET /base/a/2 201\n"))
    }
}
