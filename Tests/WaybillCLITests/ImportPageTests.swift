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

    @Test(arguments: examples)
    func `an input becomes the manifest that follows it`(_ example: Example) async throws {
        let folder = TemporaryFolder()
        for file in example.files { folder.write(file.text, to: file.name) }
        let result = try await Command.run(CommandCase.program, ["import", example.name], in: folder.path)
        #expect(result.outputText == example.manifest)
        #expect(result.status == 0, "\(result.errorText)")
        folder.write(example.manifest, to: "manifest.yaml")
        let checked = try await Command.run(CommandCase.program, ["validate", "manifest.yaml"], in: folder.path)
        #expect(checked.status == 0, "\(checked.errorText)")
    }

    @Test func `there are examples`() { #expect(!Self.examples.isEmpty) }
}
