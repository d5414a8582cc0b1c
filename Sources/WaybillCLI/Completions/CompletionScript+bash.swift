import ArgumentParser
import CTexts
import WaybillManifest

extension CompletionScript {
    /// The script for bash.
    static let bash = CompletionScript(
        shell: .bash,
        replacements: [
            // Flags are offered after '-' only, and not among commands.
            (
                #"("${cur}" = -* && "${positional_number}" -ge 0) || "${positional_number}" -eq -1"#,
                #""${cur}" = -* && "${positional_number}" -ge 0"#
            ),
            // A word that is no command is not followed by one.
            (
                "COMPREPLY+=($(compgen -W '",
                #"[[ "${#unparsed_words[@]}" -gt 0 ]] || COMPREPLY+=($(compgen -W '"#
            ),
            // The command after 'help'.
            (
                "_waybill_help() {\n",
                "_waybill_help() {\n"
                    + #"    [[ "${#unparsed_words[@]}" -gt 1 ]] || COMPREPLY+=($(compgen -W "#
                    + #"'\#(commands)' -- "${cur}"))"# + "\n"
            ),
            // 'waybill schema NAME' is short for 'waybill schema print NAME'.
            (
                "-W 'check print'",
                "-W 'check print \(EmbeddedSchema.allCases.map(\.rawValue).joined(separator: " "))'"
            ),
        ],
        completed: { $0 + "\n\n" + wholeWords.dropLast() }
    )

    /// The generated function needs whole words, but bash splits them at '=' and ':' too, which belong to values such as
    /// NAME=VALUE, and readline replaces only the part after the last of these. It has no values for '--option=VALUE'.
    /// Besides, readline quotes names only like paths, which leaves '$' as it is, and treats a name like a folder of the
    /// same name. In open quotes, it inserts names as they are.
    private static let wholeWords = String(text_complete_bash())
}
