import Testing
import WaybillTestSupport

/// Every manifest that we show people runs.
@Suite(.timeLimit(.minutes(5))) struct ManifestsTests {
    static let manifests = TemporaryFolder.files(in: CommandCase.projectRoot + "/manifests", ending: ".yaml")

    @Test(arguments: manifests)
    func `every manifest is valid`(_ manifest: String) async throws {
        let result = try await Command.run(CommandCase.program, ["validate", manifest])
        #expect(result.status == 0 && result.errorText.isEmpty, "\(result.errorText)")
    }

    @Test(arguments: manifests.filter { !$0.contains("/common/") })
    func `every manifest runs on its own examples`(_ manifest: String) async throws {
        let folder = TemporaryFolder()
        let result = try await Command.run(
            CommandCase.program,
            ["run", manifest, "--mock"],
            in: folder.path,
            variables: ["ACCOUNTS_PASSWORD": "anything"]
        )
        #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
        #expect(folder.read("waybill-results/latest/run.json")?.contains("\"outcome\": \"passed\"") == true)
    }

    @Test func `every manifest of the README runs`() async throws {
        let readme = try #require(TemporaryFolder.contents(of: CommandCase.projectRoot + "/README.md"))
        let blocks = String(decoding: readme, as: UTF8.self).split(separator: "```yaml\n").dropFirst()
            .map { $0.prefix(upTo: $0.firstRange(of: "```")?.lowerBound ?? $0.endIndex) }
        #expect(!blocks.isEmpty)
        for block in blocks {
            let folder = TemporaryFolder()
            folder.write(String(block), to: "manifest.yaml")
            let result = try await Command.run(
                CommandCase.program,
                ["run", "manifest.yaml", "--mock"],
                in: folder.path
            )
            #expect(result.status == 0, "\(block)\n\(result.outputText)\(result.errorText)")
        }
    }
}
