import Testing
import WaybillPipeline
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
        // The tab starts an empty description.
        #expect(ShellCandidates.written(names, for: .fish) == ["main\t", "$(id)\t", "it's\t", "a:b\\c\t"])
    }

    @Test(arguments: CompletionsCommand.Shell.allCases)
    func `the generated script has every part that is replaced`(shell: CompletionsCommand.Shell) {
        var script = CompletionScript(shell: shell).generated
        for (old, new) in CompletionScript(shell: shell).replacements {
            #expect(script.contains(old), "\(old)")
            script = script.replacing(old, with: new)
        }
    }

    @Test func `the scripts replace functions that the generated ones have`() {
        let bash = CompletionScript(shell: .bash).text
        #expect(bash.ranges(of: "__waybill_add_completions() {").count == 2)
        #expect(bash.hasSuffix("\ncomplete -o filenames -F _waybill_whole_words waybill\n"))
        let zsh = CompletionScript(shell: .zsh).text
        #expect(zsh.hasPrefix("#compdef waybill\n"))
        #expect(zsh.ranges(of: "__waybill_complete() {").count == 2)
    }

    @Test func `the variables of the zsh script have names that are not executed`() {
        let names = CompletionScript(shell: .zsh).text.split(separator: "\n").filter { $0.hasPrefix("    local -ar ") }
            .map { $0.dropFirst("    local -ar ".count).prefix { $0 != "=" } }
        #expect(names.count > 20)
        #expect(names.filter { $0.contains { !$0.isASCII || !$0.isLetter && !$0.isNumber && $0 != "_" } } == [])
    }

    @Test func `every option with a value has its values after an equals sign in zsh`() {
        let lines = CompletionScript(shell: .zsh).text.split(separator: "\n")
        let specs = lines.filter { $0.contains("]:") && $0.contains("--") }
        #expect(specs.count > 50)
        #expect(specs.filter { !$0.contains("=[") } == [])
    }

    @Test(arguments: [
        ("m", ["main"]), ("--graph=m", ["main"]), ("--graph=", ["main", "other"]), ("--graph='m", ["main"]), ("=m", []),
    ])
    func `the value after an option and an equals sign is completed`(prefix: String, expected: [String]) {
        let words = ["waybill", "run", prefix]
        let found = Candidates.matching(CommandWords(words, 2, prefix).prefix, in: ["main", "other"])
        #expect(found == expected)
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
