import ArgumentParser
import CTexts
import WaybillManifest

extension CompletionScript {
    /// The script for zsh.
    static let zsh = CompletionScript(
        shell: .zsh,
        replacements: [
            // The program is called by this word, in which a variable does not expand '~'.
            (#"command_name="${words[1]}""#, ##"command_name="${words[1]/#\~\//${HOME}/}""##),
            // The command after 'help'.
            ("'*:subcommands:'", "':subcommand:{__waybill_complete \(commands)}'"),
            // 'waybill schema NAME' is short for 'waybill schema print NAME'.
            (
                "            'check:",
                EmbeddedSchema.allCases.map { "            '\($0.rawValue):Prints this schema.'\n" }.joined()
                    + "            'check:"
            ),
            (start, candidates + "\n" + start),
        ],
        completed: { script in
            // An option with a value: '*--tag[Help.]:value:action'. With '=', the value may also follow '--tag='.
            script.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                let word = line.drop { $0 == " " }
                guard word.hasPrefix("'--") || word.hasPrefix("'*--"), line.contains("]:"),
                    let bracket = line.firstIndex(of: "[")
                else { return String(line) }
                return line[..<bracket] + "=" + line[bracket...]
            }.joined(separator: "\n")
        }
    )

    /// The line of the generated script before which functions of its own can be replaced.
    private static let start = #"if [[ "${funcstack[1]}" = _waybill ]]; then"#

    /// Zsh puts a space after each candidate, but a value follows '=', and a name follows '/'. It quotes '!' only with the
    /// option that gives it a meaning, which the generated function switches off.
    private static let candidates = String(text_complete_zsh())
}
