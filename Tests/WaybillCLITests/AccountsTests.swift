import Testing
import WaybillJSON
import WaybillTestSupport

/// `manifests/accounts.yaml` against nginx, a server that this project did not write.
@Suite(.timeLimit(.minutes(5))) struct AccountsTests {
    private static let password = "s3cr3t/w+rd ü"

    private static let schedule = #"{"code":200,"description":"ok","results":{"items":[{"id":11},{"id":12}]}}"#

    private static let login = """
        default_type application/json;
        location = /v5/service/mobileLogin {
            return 200 '{"code":200,"description":"ok","results":{"token":"t-4711-xyz","userId":"u-1"}}';
        }
        """

    private static let directives = """
        \(login)
        location = /v5/users/u-1/schedule { return 200 '\(schedule)'; }
        location = /v5/health { return 204; }
        location = /locked/v5/service/mobileLogin {
            return 200 '{"code":4003,"description":"the account is locked"}';
        }
        """

    private func run(_ server: NginxServer, _ folder: TemporaryFolder, base: String = "") async throws -> Command {
        let source = CommandCase.projectRoot + "/manifests/"
        for name in ["accounts.yaml", "common/services.yaml"] {
            let text = String(decoding: try #require(TemporaryFolder.contents(of: source + name)), as: UTF8.self)
            // A loaded machine must not fail the test, so the time limits are raised.
            let moved = text.replacing("http://127.0.0.1:8080", with: server.url(base))
                .replacing("maxTime: 2s", with: "maxTime: 60s")
                .replacing("timeout: 15s", with: "timeout: 60s")
            let target = name == "accounts.yaml" ? name : "services.yaml"
            folder.write(moved.replacing("common/services.yaml", with: "services.yaml"), to: target)
        }
        return try await Command.run(
            CommandCase.program,
            ["run", "accounts.yaml", "--env", "dev", "--out", "results", "--verbose"],
            in: folder.path,
            variables: ["ACCOUNTS_PASSWORD": Self.password]
        )
    }

    @Test(.enabled(if: NginxServer.isWanted, "nginx is not installed"))
    func `the accounts manifest runs against nginx, and the batch runs concurrently`() async throws {
        // Serves the two requests that nginx forwards. It sends the schedule only after the health request has arrived.
        // If the batch ran one step at a time, the health request would wait for the schedule, which comes before it.
        let backend = try ResponsesOnCall()
        defer { backend.stop() }
        let schedule = "/v5/users/u-1/schedule?deviceId=d-1"
        backend.begin { [weak backend] request in
            guard request.target.hasPrefix("/v5/health") else { return }
            backend?.answer(request.target, ServerResponse(status: 204))
            let json = [(name: "Content-Type", value: "application/json")]
            backend?.answer(schedule, ServerResponse(headers: json, body: Array(Self.schedule.utf8)))
        }
        let passedOn = "\(Self.login) location /v5/ { proxy_pass \(backend.url); }"
        try await NginxServer.run(passedOn) { server in
            let folder = TemporaryFolder()
            let result = try await run(server, folder)
            #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
            let outputs = try JSONParser().parse(Array(try #require(folder.read("results/outputs.json")).utf8))
            #expect(outputs == ["main": ["user": "u-1", "items": [11, 12]]])

            server.stop()
            #expect(server.log.map(\.status).sorted() == [200, 200, 204])
            #expect(backend.targets.contains(schedule))
        }
    }

    @Test(.enabled(if: NginxServer.isWanted, "nginx is not installed"))
    func `no secret appears in any file or on the terminal, in any encoding`() async throws {
        try await NginxServer.run(Self.directives) { server in
            for base in ["", "/locked"] {
                let folder = TemporaryFolder()
                let result = try await run(server, folder, base: base)
                #expect(result.status == (base.isEmpty ? 0 : 1))
                var texts = ["terminal": result.outputText + result.errorText]
                for name in folder.names(in: "results") {
                    texts[name] = folder.read("results/\(name)") ?? ""
                }
                for body in folder.names(in: "results/bodies") { texts[body] = folder.read("results/bodies/\(body)") }
                #expect(texts.count >= 4)
                let spellings = [
                    Self.password, "t-4711-xyz", Base64.encode(Array(Self.password.utf8)),
                    "s3cr3t%2Fw%2Brd+%C3%BC", "s3cr3t%2Fw%2Brd%20%C3%BC", "s3cr3t\\/w+rd",
                ]
                for (name, text) in texts {
                    for spelling in spellings { #expect(!text.contains(spelling), "\(name) holds \(spelling)") }
                }
            }
        }
    }
}
