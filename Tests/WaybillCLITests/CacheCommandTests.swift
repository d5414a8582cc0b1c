import Testing
import WaybillTestSupport

/// Runs that use the cache, and `waybill cache`.
@Suite(.timeLimit(.minutes(5))) struct CacheCommandTests {
    private let folder = TemporaryFolder()

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(
            CommandCase.program,
            arguments,
            in: folder.path,
            variables: ["XDG_CACHE_HOME": "\(folder.path)/cache", "KEY": "a-secret-key"]
        )
    }

    @Test func `a later run uses the responses of an earlier one, but not those with secrets`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while connection.readRequest() != nil {
                connection.write("HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: 2\r\n\r\n{}")
            }
        }
        try await LoopbackServer.run(script: script) { server in
            folder.write(
                """
                waybill: 1
                secrets: {key: {env: KEY}}
                defaults: {cache: default, baseURL: "\(server.url(""))"}
                graphs:
                  main:
                    chain:
                      - {id: open, get: /open}
                      - {id: header, get: /header, headers: {X-Key: "${secrets.key}"}}
                      - {id: address, get: "/address?key=${secrets.key}"}
                """,
                to: "manifest.yaml"
            )
            let first = try await waybill("run", "manifest.yaml", "--no-color")
            #expect(first.status == 0, "\(first.errorText)")
            #expect(first.outputText.contains("/open  200  cache miss"))
            let second = try await waybill("run", "manifest.yaml", "--format", "ndjson")
            #expect(second.outputText.contains(#""type":"cache.used","step":"main.open","attempt":1,"cache":"hit""#))
            #expect(server.requests.map(\.target).filter { $0 == "/open" }.count == 1)
            #expect(server.requests.count == 5)
        }
        let listed = try await waybill("cache", "list")
        #expect(listed.outputText.split(separator: "\n").count == 1)
        #expect(listed.outputText.contains("  fresh  200  "))
        #expect(listed.outputText.contains("/open"))
        let info = try await waybill("cache")
        #expect(info.outputText.hasPrefix("\(folder.path)/cache/waybill/http\n1 response, "))
        let cleared = try await waybill("cache", "clear")
        #expect(cleared.outputText.hasPrefix("removed 1 response, "))
        #expect(try await waybill("cache", "list").outputText.isEmpty)
    }
}
