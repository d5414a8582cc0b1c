import Testing
import WaybillTestSupport

/// The page about imports shows what the program writes.
@Suite(.timeLimit(.minutes(5))) struct ImportPageTests {
    /// A source, or the files of a folder, and the manifest that follows them on the page.
    struct Example: Sendable, CustomTestStringConvertible {
        var files: [(name: String, text: String)]
        var manifest: String

        var testDescription: String { name }

        /// The only file, or the folder of all.
        var name: String {
            files.count == 1 ? files[0].name : files[0].name.split(separator: "/").first.map(String.init) ?? ""
        }
    }

    private static let page =
        TemporaryFolder.contents(of: CommandCase.projectRoot + "/docs/import.md").map {
            String(decoding: $0, as: UTF8.self)
        } ?? ""

    static let examples = page.matches(
        of: #/((?:\n```[a-z]+ \S+\n(?:(?!```)[^\n]*\n)*```\n)+)\n```yaml\n((?s).*?)```\n/#
    )
    .map { match in
        let files = match.1.matches(of: #/\n```[a-z]+ (\S+)\n((?s).*?)```\n/#)
        return Example(files: files.map { (String($0.1), String($0.2)) }, manifest: String(match.2))
    }

    /// Files beside the sources.
    private static let files = page.matches(of: #/\n~~~[a-z]+ (\S+)\n((?s).*?)~~~\n/#).map {
        (name: String($0.1), content: String($0.2))
    }

    @Test(arguments: examples)
    func `an input becomes the manifest that follows it`(_ example: Example) async throws {
        let folder = TemporaryFolder()
        for file in example.files { folder.write(file.text, to: file.name) }
        for file in Self.files { folder.write(file.content, to: file.name) }
        let result = try await Command.run(CommandCase.program, ["import", example.name], in: folder.path)
        #expect(result.outputText == example.manifest)
        #expect(result.status == 0, "\(result.errorText)")
        folder.write(example.manifest, to: "manifest.yaml")
        let checked = try await Command.run(CommandCase.program, ["validate", "manifest.yaml"], in: folder.path)
        #expect(checked.status == 0, "\(checked.errorText)")
    }

    @Test func `the criteria of an Arazzo description hold on the mock of its document, and can fail`() async throws {
        let example = try #require(Self.examples.first { $0.name.hasSuffix(".arazzo.yaml") })
        let document = try #require(Self.files.first { $0.name == "shop.openapi.yaml" }).content
        let changes = [
            ("", "", 0), ("state: open", "state: closed", 1), ("items: [{count: 2}]", "items: [{count: 0}]", 1),
        ]
        for (text, replacement, status) in changes {
            let folder = TemporaryFolder()
            folder.write(example.manifest, to: "shop.yaml")
            folder.write(
                text.isEmpty ? document : document.replacing(text, with: replacement),
                to: "shop.openapi.yaml"
            )
            let result = try await Command.run(
                CommandCase.program,
                ["run", "shop.yaml", "--mock", "--input", "sku=a", "--input", "note=b"],
                in: folder.path,
                variables: ["PASSWORD": "tiger-17"]
            )
            #expect(result.status == status, "\(text): \(result.outputText)\(result.errorText)")
        }
    }

    @Test func `there are examples`() { #expect(!Self.examples.isEmpty) }
}
