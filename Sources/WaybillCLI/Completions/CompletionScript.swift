import ArgumentParser
import CTexts
import WaybillManifest

/// The completion script of a shell: the one that ArgumentParser generates, changed where it falls short.
struct CompletionScript {
    let shell: CompletionsCommand.Shell

    /// The script that ArgumentParser generates.
    var generated: String { WaybillCommand.completionScript(for: CompletionShell(rawValue: shell.rawValue)!) }

    /// The parts of the generated script that are replaced, wherever they occur: those of the shell in
    /// `complete.changes`.
    var replacements: [(old: String, new: String)] {
        let entries = String(text_complete_changes()).dropLast().split(separator: "\n\n== ")
        return entries.filter { $0.hasPrefix("\(shell.rawValue): ") }.map { entry in
            let parts = entry.drop { $0 != "\n" }.dropFirst().split(separator: "\n--\n").map(String.init)
            return (parts[0], inserted.reduce(parts[1]) { $0.replacing($1.key, with: $1.value) })
        }
    }

    /// What is inserted into the new parts.
    private var inserted: KeyValuePairs<String, String> {
        ["<COMMANDS>": Self.commands, "<SCHEMAS>": schemas, "<FUNCTIONS>": String(functions.dropLast())]
    }

    private var functions: String {
        switch shell {
        case .bash: String(text_complete_bash())
        case .zsh: String(text_complete_zsh())
        case .fish: String(text_complete_fish())
        }
    }

    /// The names of the commands, for 'waybill help'.
    private static var commands: String {
        WaybillCommand.configuration.subcommands.compactMap { $0.configuration.commandName }.joined(separator: " ")
    }

    private var schemas: String {
        let names = EmbeddedSchema.allCases.map(\.rawValue)
        if shell == .bash { return names.joined(separator: " ") }
        return names.map { "'\($0):Prints this schema.'" }.joined(separator: "\n            ")
    }

    /// The text of the script.
    var text: String {
        let script = replacements.reduce(generated) { $0.replacing($1.old, with: $1.new) }
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false)
        let changed =
            switch shell {
            case .bash: lines.map(String.init)
            case .zsh: lines.map(Self.zshLine)
            case .fish: Self.fishLines(lines)
            }
        return changed.joined(separator: "\n") + "\n"
    }

    /// Returns a line in which the value of an option may also follow '='. An option with a value is
    /// '*--tag[Help.]:value:action'.
    private static func zshLine(_ line: Substring) -> String {
        let word = line.drop { $0 == " " }
        guard word.hasPrefix("'--") || word.hasPrefix("'*--"), line.contains("]:"),
            let bracket = line.firstIndex(of: "[")
        else { return String(line) }
        return line[..<bracket] + "=" + line[bracket...]
    }

    /// Returns the lines with those for the command after 'help', and for the schemas.
    private static func fishLines(_ lines: [Substring]) -> [String] {
        let lines = lines.map(fishLine)
        let commands = lines.filter { $0.contains(#"_subcommands "waybill"'"#) && !$0.contains(" 'help' ") }
        let help = commands.map { $0.replacing(#""waybill"'"#, with: #""waybill help"'"#) }
        let schemas = EmbeddedSchema.allCases.map {
            "complete -c 'waybill' -n '__waybill_should_offer_subcommands \"waybill schema\"'"
                + " -fa '\($0.rawValue)' -d 'Prints this schema.'"
        }
        return lines + help + schemas
    }

    /// Returns a line with the condition for commands, and with values that are not described.
    private static func fishLine(_ line: Substring) -> String {
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
