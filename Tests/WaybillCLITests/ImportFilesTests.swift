import Testing
import WaybillJSON
import WaybillRuntime
import WaybillTestSupport

/// The files that `waybill import` writes.
@Suite(.timeLimit(.minutes(5))) struct ImportFilesTests {
    private static let command = "curl https://a.example.com/x -u 'me:it'\"'\"'s a $secret' --http3"

    @Test func `the manifest, the report and the secrets are written, and a run reads the secrets`() async throws {
        let folder = TemporaryFolder()
        let outputs = ["--out", "a.yaml", "--report", "a.json", "--env-file-out", "a.env"]
        let result = try await Command.run(
            CommandCase.program,
            ["import", "curl", Self.command] + outputs,
            in: folder.path
        )
        #expect(result.status == 0, "\(result.errorText)")
        #expect(folder.read("a.env") == "PASSWORD=\"it's a \\$secret\"\n")
        #expect(folder.read("a.yaml")?.contains("secret") == true && folder.read("a.yaml")?.contains("it's a") == false)
        let mode = try await Command.run("/bin/ls", ["-l", "a.env"], in: folder.path)
        #expect(mode.outputText.hasPrefix("-rw-------"))
        let column = Self.command.utf8.count - "--http3".utf8.count + 1
        let losses = try JSONParser().parse((folder.read("a.json") ?? "").utf8)["losses"]?.array
        #expect(
            losses?.map { $0["what"] } == ["the option '--http3'"]
                && losses?.first?["column"] == .number(JSONNumber(column))
        )
        let plan = try await Command.run(
            CommandCase.program,
            ["plan", "a.yaml", "--env-file", "a.env"],
            in: folder.path
        )
        #expect(plan.status == 0 && plan.errorText.isEmpty, "\(plan.errorText)")
    }

    @Test(arguments: ["a.yaml", "a.json", "a.env"])
    func `an existing file is kept, and no other is left`(_ name: String) async throws {
        let folder = TemporaryFolder()
        folder.write("mine", to: name)
        let outputs = ["--out", "a.yaml", "--report", "a.json", "--env-file-out", "a.env"]
        let result = try await Command.run(
            CommandCase.program,
            ["import", "curl", Self.command] + outputs,
            in: folder.path
        )
        #expect(result.status == 3 && result.errorText.contains("error[existing-file]"))
        for other in ["a.yaml", "a.json", "a.env"] { #expect(folder.read(other) == (other == name ? "mine" : nil)) }
    }

    @Test func `with strict, a loss writes nothing`() async throws {
        let folder = TemporaryFolder()
        let result = try await Command.run(
            CommandCase.program,
            ["import", "curl", Self.command, "--out", "a.yaml", "--strict"],
            in: folder.path
        )
        #expect(result.status == 1 && folder.read("a.yaml") == nil)
    }
}
