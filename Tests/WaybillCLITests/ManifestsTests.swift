import Testing
import WaybillTestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Every manifest that we show people runs, and every link leads somewhere.
@Suite(.timeLimit(.minutes(5))) struct ManifestsTests {
    static let manifests = TemporaryFolder.files(in: CommandCase.projectRoot + "/manifests", ending: ".yaml")

    /// The secrets of the manifests that are shown.
    private static let secrets = [
        "SHOP_PASSWORD": "anything", "CLIENT_SECRET": "anything", "AWS_SECRET_ACCESS_KEY": "anything",
        "SIGNING_KEY": "anything",
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

    private static let pages =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
        + TemporaryFolder.files(in: CommandCase.projectRoot + "/docs", ending: ".md")
        .map { String($0.dropFirst(CommandCase.projectRoot.count + 1)) }

    @Test(arguments: pages) func `links of the documentation lead to files`(_ page: String) throws {
        let text = try #require(TemporaryFolder.contents(of: "\(CommandCase.projectRoot)/\(page)"))
        let folder = page.split(separator: "/").dropLast().map { "\($0)/" }.joined()
        for link in String(decoding: text, as: UTF8.self).matches(of: #/\]\((?!https?:|#)([^)#]+)/#) {
            let path = "\(CommandCase.projectRoot)/\(folder)\(link.output.1)"
            #expect(access(path, F_OK) == 0, "\(page): \(link.output.1)")
        }
    }

    @Test(arguments: [
        "README.md", "docs/guide.md", "docs/cookbook.md", "docs/coming-from.md", "docs/reference/expressions.md",
    ])
    func `every manifest of the documentation runs`(_ page: String) async throws {
        let text = try #require(TemporaryFolder.contents(of: "\(CommandCase.projectRoot)/\(page)"))
        let blocks = String(decoding: text, as: UTF8.self).split(separator: "```yaml\n").dropFirst()
            .map { $0.prefix(upTo: $0.firstRange(of: "```")?.lowerBound ?? $0.endIndex) }
        #expect(!blocks.isEmpty)
        for block in blocks {
            let folder = TemporaryFolder()
            folder.write(String(block), to: "manifest.yaml")
            let result = try await Command.run(
                CommandCase.program,
                ["run", "manifest.yaml", "--mock"],
                in: folder.path,
                variables: Self.secrets
            )
            #expect(result.status == 0, "\(block)\n\(result.outputText)\(result.errorText)")
        }
    }
}
