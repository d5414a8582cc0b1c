import Testing
import WaybillTestSupport

/// The collection of Bruno on the page about imports runs.
@Suite(.timeLimit(.minutes(5))) struct BrunoRunTests {
    /// What the server does, the exit status, and a part of the output.
    private static let servers: [(id: String, token: String, status: Int32, output: String)] = [
        ("7", "", 0, "3 passed"), ("7", "x", 1, "the status is 401"),
        ("8", "", 1, "$.id == steps.listOrders.outputs.orderId"),
    ]

    @Test(arguments: servers)
    func `a token that the first request returns is sent with the others, and assertions fail if the server lies`(
        _ server: (id: String, token: String, status: Int32, output: String)
    ) async throws {
        let example = try #require(ImportPageTests.examples.first { $0.name == "shop" })
        let folder = TemporaryFolder()
        for file in example.files { folder.write(file.text, to: file.name) }
        let imported = try await Command.run(
            CommandCase.program,
            ["import", "bruno", "shop", "--out", "shop.yaml"],
            in: folder.path
        )
        #expect(imported.status == 0, "\(imported.errorText)")
        try await LoopbackServer.run { request in
            let json = [("Content-Type", "application/json")]
            let isKnown = request.values(named: "Authorization") == ["Bearer t-1"]
            switch request.target {
            case "/api/login":
                let isRight = request.body == Array(#"{"user":"demo","password":"tiger-17"}"#.utf8)
                let text = #"{"token": "t-1\#(isRight ? server.token : "wrong")"}"#
                return ServerResponse(headers: json, body: Array(text.utf8))
            case "/api/orders?state=open" where isKnown:
                return ServerResponse(headers: json, body: Array(#"{"orders": [{"id": 7, "state": "open"}]}"#.utf8))
            case "/api/orders/7" where isKnown:
                return ServerResponse(headers: json, body: Array(#"{"id": \#(server.id)}"#.utf8))
            default: return ServerResponse(status: 401)
            }
        } _: { loopback in
            let result = try await Command.run(
                CommandCase.program,
                ["run", "shop.yaml", "--env", "local", "--input", "host=http://127.0.0.1:\(loopback.port)"],
                in: folder.path,
                variables: ["SHOP_PASSWORD": "tiger-17"]
            )
            #expect(result.status == server.status, "\(result.outputText)\(result.errorText)")
            #expect((result.outputText + result.errorText).contains(server.output), "\(result.outputText)")
        }
    }
}
