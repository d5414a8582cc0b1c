import Testing
import WaybillJSON
import WaybillTestSupport

/// Requests of Postman collections with saved responses pass on the mock server.
@Suite(
    .enabled(if: SampleFolder.named("postman") != nil, "the samples of other tools are absent"),
    .timeLimit(.minutes(5))
) struct PostmanMockTests {
    private static let folder = SampleFolder.named("postman") ?? ""
    private static let names = ConformanceSuite.files(in: folder, ending: ".json")

    @Test(arguments: names)
    func `a request with a saved response passes on the mock server`(_ name: String) async throws {
        let folder = TemporaryFolder()
        let imported = try await Command.run(
            CommandCase.program,
            ["import", "postman", "\(Self.folder)/\(name)", "--out", "a.yaml"],
            in: folder.path
        )
        // Files that are no collections are refused.
        guard imported.status == 0, let text = folder.read("a.yaml"), text.contains("mock:") else { return }
        // The others have no example; all steps run.
        folder.write(
            text.replacing("\n    chain:\n", with: "\n    onFailure: collect\n    chain:\n"),
            to: "manifest.yaml"
        )
        var variables: [String: String] = [:]
        for match in text.matches(of: #/\{env: (\w+)\}/#) { variables[String(match.1)] = "some-value" }
        let result = try await Command.run(
            CommandCase.program,
            ["run", "manifest.yaml", "--mock", "--out", "results"],
            in: folder.path,
            variables: variables
        )
        let run = try JSONParser().parse((folder.read("results/run.json") ?? "").utf8)
        let steps = run["steps"]?.array ?? []
        #expect(!steps.isEmpty, "\(result.errorText)")
        var passed = 0
        for step in steps where step["status"] != nil {
            if step["outcome"]?.string == "passed" { passed += 1 }
            guard step["outcome"]?.string == "failed", let message = step["failure"]?["message"]?.string else {
                continue
            }
            // A check of a status that no example has, at the address of one.
            let isWithoutExample = message.contains("no mock example") || message.contains("the status is 200, not 4")
            #expect(isWithoutExample, "\(step["id"]?.string ?? ""): \(message)")
        }
        #expect(passed > 0, "\(result.outputText)")
    }
}
