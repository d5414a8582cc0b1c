import Testing
import WaybillPlatform
import WaybillResults
import WaybillTestSupport

/// Files with computed paths must be in the manifest's folder, unless the user allows others.
@Suite(.timeLimit(.minutes(5))) struct FileConfinementTests {
    /// The steps that send a file, with `PATH` for the expression that computes its path.
    static let steps = [
        "{id: a, put: /a, body: {file: \"${PATH}\"}}",
        "{id: a, post: /a, body: {multipart: [{name: n, file: \"${PATH}\"}]}}",
        """
        {id: a, put: /a, body: {file: "${PATH}"},
        auth: {awsSigV4: {region: r, service: s, accessKey: k, secretKey: x}}}
        """,
        "{id: a, put: /a, body: {text: \"${file(PATH)}\"}}",
    ]

    /// Runs each step with the file at a path, resolved from the manifest's folder.
    private func send(
        _ path: String,
        to outside: TemporaryFolder,
        allowsOutside: Bool = false
    ) async throws -> [WireExchange] {
        var exchanges: [WireExchange] = []
        for step in Self.steps {
            exchanges.append(
                try await WireExchange.run(
                    step.replacing("\n", with: " ").replacing("PATH", with: path),
                    files: ["in.txt": Array("harmless".utf8)],
                    links: ["link.txt": "\(outside.path)/secret.txt", "folder": outside.path, "alias.txt": "in.txt"],
                    allowsOutside: allowsOutside
                )
            )
        }
        return exchanges
    }

    @Test(arguments: ["absolute", "above", "link", "folder"])
    func `a computed path that leads out of the manifest's folder is not sent`(way: String) async throws {
        let outside = TemporaryFolder()
        outside.write("private", to: "secret.txt")
        let name = outside.path.split(separator: "/").last ?? ""
        let path =
            switch way {
            case "absolute": "'\(outside.path)/secret.txt'"
            case "above": "concat('..', '/\(name)/secret.txt')"
            case "link": "'link.txt'"
            default: "'folder/secret.txt'"
            }
        for exchange in try await send(path, to: outside) {
            #expect(exchange.received.isEmpty)
            let failure = try #require(exchange.failure).message.string
            #expect(failure.contains("outside the folder of the manifest"))
        }
        for exchange in try await send(path, to: outside, allowsOutside: true) {
            #expect(exchange.failure == nil)
            #expect(try exchange.body().contains("private"))
        }
    }

    @Test(arguments: ["in.txt", "alias.txt"])
    func `a computed path that stays in the manifest's folder is sent`(name: String) async throws {
        for exchange in try await send("'\(name)'", to: TemporaryFolder()) {
            #expect(exchange.failure == nil)
            #expect(try exchange.body().contains("harmless"))
        }
    }

    @Test(arguments: ["auth: {netrc: f}", "cookies: {jar: f}", "tls: {ca: f}", "body: {file: f}"])
    func `a file that is replaced by a link to the outside after the check is not opened`(setting: String) async throws
    {
        let outside = TemporaryFolder()
        outside.write("machine 127.0.0.1 login user password p", to: "f")
        let exchange = try await WireExchange.run(
            "{id: a, post: /a, \(setting)}",
            files: ["f": []],
            beforeRun: { folder in
                try #require(unlink("\(folder.path)/f") == 0)
                try #require(symlink("\(outside.path)/f", "\(folder.path)/f") == 0)
            }
        )
        #expect(exchange.received.isEmpty)
        #expect(try #require(exchange.failure).message.string.contains("outside the folder of the manifest"))
    }
}
