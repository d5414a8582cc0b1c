import Testing
import WaybillJSON
import WaybillTestSupport

/// Commands with recordings of what curl 7.88 sent: the imported manifest sends the same.
@Suite(
    .enabled(if: SampleFolder.named("curl") != nil, "the samples of other tools are absent"),
    .timeLimit(.minutes(5))
) struct CurlSampleTests {
    private static let folder = SampleFolder.named("curl") ?? ""
    private static let names = ConformanceSuite.files(in: folder, ending: ".json")

    /// What is not imported of a sample, which the program says.
    private static let refusals = ["read_stdin.json": "the body from standard input: it is not in the source"]

    /// The recording was made of words that Python's shlex split, which keeps continued lines of double quotes apart; bash
    /// joins them.
    private static let differentWords: Set<String> = ["put_xput.json"]

    @Test(arguments: names)
    func `a manifest sends what the command sends`(_ name: String) async throws {
        let sample = try JSONParser().parse(ConformanceSuite.bytes(of: "\(Self.folder)/\(name)"))
        let recorded = try (sample["requests"]?.array ?? []).map { try SentRequest(recording: $0) }
        let server = try LoopbackServer { _ in ServerResponse() }
        defer { server.stop() }
        let folder = TemporaryFolder()
        let command = try #require(sample["command"]?.string)
            .replacing("localhost:28139", with: "127.0.0.1:\(server.port)").replacing(
                "/path/to/",
                with: ""
            )
        folder.write(command, to: "command.sh")
        let imported = try await Command.run(
            CommandCase.program,
            ["import", "command.sh", "--out", "manifest.yaml", "--env-file-out", "secrets.env"],
            in: folder.path
        )
        #expect(imported.status == 0, "\(imported.errorText)")
        let refusal = imported.errorText.split(separator: "not imported: ").last.map {
            String($0).replacing("\n", with: "")
        }
        #expect(
            imported.errorText.isEmpty ? Self.refusals[name] == nil : refusal == Self.refusals[name],
            "\(imported.errorText)"
        )
        for (file, source) in [("ca-bundle.crt", "ca.pem"), ("the/cert", "client.pem")] where command.contains(file) {
            let certificates = try await TestCertificates()
            _ = try await Command.run("/bin/mkdir", ["-p", "\(folder.path)/the"])
            _ = try await Command.run("/bin/cp", [certificates.file(source), "\(folder.path)/\(file)"])
        }
        for (file, content) in recorded.flatMap(\.files) {
            _ = try await Command.run("/bin/mkdir", ["-p", "test/fixtures/curl_commands"], in: folder.path)
            let path = file == "delete.sh" ? "test/fixtures/curl_commands/\(file)" : file
            folder.write(content, to: path)
        }
        let arguments = ["manifest.yaml", "--env-file", "secrets.env"]
        let checked = try await Command.run(CommandCase.program, ["validate"] + arguments, in: folder.path)
        #expect(checked.status == 0, "\(checked.errorText)")
        let run = try await Command.run(CommandCase.program, ["run"] + arguments, in: folder.path)
        #expect(run.status == 0, "\(run.outputText)\(run.errorText)")
        let sent = server.requests.map { SentRequest($0) }
        if Self.differentWords.contains(name) {
            #expect(sent.map(\.body) == recorded.map { $0.body.replacing("\\\n", with: "") })
        } else {
            #expect(sent == recorded)
        }
        let exported = try await Command.run(CommandCase.program, ["export", "curl", "manifest.yaml"], in: folder.path)
        #expect(exported.status == 0, "\(exported.errorText)")
        folder.write("set -a\n. ./secrets.env\nset +a\n\(exported.outputText)", to: "export.sh")
        let again = try await Command.run("/bin/bash", ["export.sh"], in: folder.path)
        let resent = server.requests.dropFirst(sent.count).map { SentRequest($0) }
        #expect(resent == sent, "\(exported.outputText)\(again.errorText)")
    }

    @Test func `there are samples`() { #expect(Self.names.count >= 49) }
}

/// What matters of a request that was sent: all but User-Agent, Accept, Host, the order of fields, and the boundary of a
/// multipart body.
private struct SentRequest: Equatable {
    private var line: String
    private var fields: [String] = []
    private(set) var body: String

    init(_ request: ReceivedRequest) { self.init(head: request.head, body: request.body) }

    /// Reads a recording: `{head, body_b64}`.
    init(recording: JSON) throws {
        let body = recording["body_b64"]?.string.flatMap(Base64.decode)
        self.init(head: try #require(recording["head"]?.string), body: try #require(body))
    }

    private init(head: String, body bytes: [UInt8]) {
        let lines = head.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
        line = lines.first ?? ""
        body = String(decoding: bytes, as: UTF8.self)
        let boundary = head.firstMatch(of: #/boundary=(\S+)/#).map { String($0.1) }
        if let boundary { body = body.replacing(boundary, with: "BOUNDARY") }
        for field in lines.dropFirst() {
            let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0].lowercased()
            var value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            if ["user-agent", "accept", "host"].contains(name) { continue }
            // A body with another boundary has another length. RFC 9110 recommends the field also for an empty body of a POST;
            // curl leaves it out.
            if name == "content-length", boundary != nil || value == "0" { continue }
            if let boundary { value = Substring(value.replacing(boundary, with: "BOUNDARY")) }
            fields.append("\(name): \(value)")
        }
        fields.sort()
    }

    /// The files in a multipart body, with their contents.
    var files: [(name: String, content: String)] {
        // A line break of two characters is one character of Swift.
        let text = body.replacing("\r\n", with: "\u{1}")
        let part = #/filename="([^"]+)"[^\u{1}]*\u{1}(?:[^\u{1}]+\u{1})*\u{1}([^\u{1}]*)\u{1}--/#
        return text.matches(of: part).map { (String($0.1), String($0.2)) }
    }
}
