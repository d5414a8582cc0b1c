import ArgumentParser
import CTexts
import WaybillManifest

extension CompletionScript {
    /// The script for fish.
    static let fish = CompletionScript(
        shell: .fish,
        replacements: [
            // The program may be called by a path, in which a variable does not expand '~'.
            (
                "set -l unparsed_tokens (__waybill_tokens -pc)",
                "set -l unparsed_tokens waybill (__waybill_tokens -pc)[2..]"
            ),
            (
                "    command $tokens[1]",
                #"    set -l program (string replace -r -- '^~/' "$HOME/" $tokens[1])"# + "\n    command $program"
            ),
            // The generated code completes no paths in quotes.
            (#"set -l exts \'"#, #"__waybill_paths \'"#),
            (";" + pathsStart + "{$exts}" + pathsEnd, ")"),
            (pathsStart, "__waybill_paths "),
            (pathsEnd, ")"),
            ("(__waybill_complete_directories)", "(__waybill_paths)"),
        ],
        completed: { script in
            let lines = script.split(separator: "\n", omittingEmptySubsequences: false).map(changed)
            let commands = lines.filter { $0.contains(#"_subcommands "waybill"'"#) && !$0.contains(" 'help' ") }
            // The command after 'help'; 'waybill schema NAME' is short for 'waybill schema print NAME'.
            let help = commands.map { $0.replacing(#""waybill"'"#, with: #""waybill help"'"#) }
            let schemas = EmbeddedSchema.allCases.map {
                "complete -c 'waybill' -n '__waybill_should_offer_subcommands \"waybill schema\"'"
                    + " -fa '\($0.rawValue)' -d 'Prints this schema.'"
            }
            return ([functions] + lines + help + schemas).joined(separator: "\n")
        }
    )

    /// The start and the end of the generated code that prints paths, around the extension of the files.
    private static let pathsStart = #"for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*."#
    private static let pathsEnd = #";printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')"#

    private static let functions = String(text_complete_fish())

    /// Returns a line of the generated script with the condition for commands, and with values that are not described.
    private static func changed(_ line: Substring) -> String {
        let condition = #"'__waybill_should_offer_completions_for_positional ""#
        if line.contains(condition), line.contains("' -d '") {
            return String(line).replacing(condition, with: #"'__waybill_should_offer_subcommands ""#)
                .replacing(#"" -eq 1'"#, with: #""'"#)
        }
        // Otherwise fish prints the description of an option beside each value.
        let list = "' -rfka '"
        guard let start = line.ranges(of: list).last?.upperBound, !line.hasSuffix(")'"), !line.hasSuffix("''") else {
            return String(line)
        }
        let values = line[start...].dropLast().split(separator: " ").map { $0 + #"\t"# }
        return line[..<start] + values.joined(separator: " ") + "'"
    }
}
