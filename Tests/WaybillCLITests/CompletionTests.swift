import Testing
import Waybill
import WaybillTestSupport

@testable import WaybillCLI

/// How the program completes words; Tests/Tools/check-completions.sh does it in real shells.
@Suite(.timeLimit(.minutes(5))) struct CompletionTests {
    @Test func `bash receives candidates in quotes, zsh with escaped colons, and fish none that it would expand`() {
        let names = ["main", "$(id)", "it's", #"a:b\c"#, "~root"]
        #expect(
            ShellCandidates.written(names, for: .bash) == ["'main'", "'$(id)'", #"'it'\''s'"#, #"'a:b\c'"#, "'~root'"]
        )
        #expect(ShellCandidates.written(names, for: .zsh) == ["main", "$(id)", "it's", #"a\:b\\c"#, "~root"])
        #expect(ShellCandidates.written(names, for: .fish) == ["main", "$(id)", "it's", #"a:b\c"#])
    }

    @Test func `the scripts replace functions that the generated ones have`() {
        let bash = CompletionScript.text(for: .bash)
        #expect(bash.ranges(of: "__waybill_add_completions() {").count == 2)
        #expect(bash.hasSuffix("\ncomplete -o filenames -F _waybill_whole_words waybill\n"))
        let zsh = CompletionScript.text(for: .zsh)
        #expect(zsh.hasPrefix("#compdef waybill\n"))
        #expect(zsh.ranges(of: "__waybill_complete() {").count == 2)
    }

    @Test(arguments: ["run", "resume", "merge", "validate", "plan", "call", "mock", "show", "report", "state set"])
    func `the options with values are known, so that values are not taken for manifests`(command: String) async throws {
        let words = command.split(separator: " ").map(String.init) + ["--help"]
        let help = try await Command.run(CommandCase.program, words)
        // Such as '  --env <env>'.
        let options = help.outputText.split(separator: "\n").filter { $0.hasPrefix("  --") }
            .map { $0.split(separator: " ") }.filter { $0.count > 1 && $0[1].hasPrefix("<") }.map { String($0[0]) }
        #expect(!options.isEmpty)
        #expect(Set(options).subtracting(CommandWords.valueOptions) == [])
    }

    @Test func `completion prints candidates alone, also for a manifest with errors`() async throws {
        let folder = TemporaryFolder()
        folder.write("waybill: 1\nnonsense: 1\ngraphs: {main: {chain: [{call: missing}]}}\n", to: "waybill.yaml")
        // As the scripts call the program: the option, the index of the word, and the cursor in it.
        let words = ["---completion", "run", "--", "--graph", "3", "1", "waybill", "run", "--graph", "m"]
        let result = try await Command.run(CommandCase.program, words, in: folder.path)
        #expect(result.status == 0)
        #expect(result.outputText == "main\n")
        #expect(result.errorText.isEmpty)
    }

    @Test func `the words of subcommands are not taken for manifests`() async throws {
        let folder = TemporaryFolder()
        folder.write("waybill: 1\ngraphs: {other: {chain: []}}\n", to: "run/other.yaml")
        folder.write("waybill: 1\ngraphs: {main: {chain: []}}\n", to: "waybill.yaml")
        let words = ["---completion", "run", "--", "--graph", "3", "0", "waybill", "run", "--graph", ""]
        #expect(try await Command.run(CommandCase.program, words, in: folder.path).outputText == "main\n")
    }
}
