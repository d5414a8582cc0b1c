import Testing
import WaybillPlatform
import WaybillTestSupport

/// Every published manifest runs, and every link of the documentation has a target.
@Suite(.timeLimit(.minutes(5))) struct ManifestsTests {
    static let manifests = TemporaryFolder.files(in: CommandCase.projectRoot + "/manifests", ending: ".yaml")

    /// The secrets of the published manifests.
    private static let secrets = [
        "SHOP_PASSWORD": "anything", "CLIENT_SECRET": "anything", "AWS_SECRET_ACCESS_KEY": "anything",
        "SIGNING_KEY": "anything", "API_TOKEN": "anything",
    ]

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

    @Test func `the suite of smoke tests runs as its page describes`() async throws {
        let folder = TemporaryFolder()
        let suite = CommandCase.projectRoot + "/manifests/smoke"
        let options = ["--env", "staging", "--tag", "smoke", "--not-tag", "slow", "--jobs", "2"]
        let result = try await Command.run(
            CommandCase.program,
            ["run", suite, "--mock", "--report", "junit=junit.xml"] + options,
            in: folder.path
        )
        #expect(result.status == 0, "\(result.errorText)")
        let report = try #require(folder.read("junit.xml"))
        #expect(report.contains("main.search") && report.contains("main.finally.remove"))
        #expect(!report.contains("main.export"))
    }

    private static let pages =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
        + TemporaryFolder.files(in: CommandCase.projectRoot + "/docs", ending: ".md")
        .map { String($0.dropFirst(CommandCase.projectRoot.count + 1)) }

    @Test(arguments: pages) func `links in the documentation lead to existing files`(_ page: String) throws {
        let text = try #require(TemporaryFolder.contents(of: "\(CommandCase.projectRoot)/\(page)"))
        let folder = page.split(separator: "/").dropLast().map { "\($0)/" }.joined()
        for link in String(decoding: text, as: UTF8.self).matches(of: #/\]\((?!https?:|#)([^)#]+)/#) {
            let path = "\(CommandCase.projectRoot)/\(folder)\(link.output.1)"
            #expect(access(path, F_OK) == 0, "\(page): \(link.output.1)")
        }
    }

    /// The fenced blocks of a page: the language, the name of the file that the block shows (such as `csv cases.csv`
    /// after the fence), and the text.
    private static func blocks(of page: String) throws -> [(language: Substring, file: Substring?, text: Substring)] {
        let text = try #require(TemporaryFolder.contents(of: "\(CommandCase.projectRoot)/\(page)"))
        let block = #/^```([a-z]+)(?: (\S+))?\n(.*?)^```/#.dotMatchesNewlines().anchorsMatchLineEndings()
        return String(decoding: text, as: UTF8.self).matches(of: block)
            .map { (language: $0.output.1, file: $0.output.2, text: $0.output.3) }
    }

    @Test(arguments: [
        "README.md", "docs/guide.md", "docs/cookbook.md", "docs/coming-from.md", "docs/debugging.md", "docs/suites.md",
        "docs/contracts.md", "docs/scheduling.md",
        "docs/reference/expressions.md",
    ])
    func `every manifest in the documentation runs`(_ page: String) async throws {
        let blocks = try Self.blocks(of: page)
        let manifests = blocks.filter { $0.language == "yaml" && $0.file == nil }
        #expect(!manifests.isEmpty)
        for manifest in manifests {
            let folder = TemporaryFolder()
            for block in blocks {
                if let file = block.file { folder.write(String(block.text), to: String(file)) }
            }
            folder.write(String(manifest.text), to: "manifest.yaml")
            let result = try await Command.run(
                CommandCase.program,
                ["run", "manifest.yaml", "--mock"],
                in: folder.path,
                variables: Self.secrets
            )
            #expect(result.status == 0, "\(manifest.text)\n\(result.outputText)\(result.errorText)")
        }
    }
}
