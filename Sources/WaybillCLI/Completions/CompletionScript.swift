import ArgumentParser

/// The completion script of a shell: the one that ArgumentParser generates, changed where it falls short.
struct CompletionScript: Sendable {
    let shell: CompletionShell
    /// The parts of the generated script that are replaced, wherever they occur.
    let replacements: [(old: String, new: String)]
    /// Returns the whole script for the generated one with its parts replaced.
    let completed: @Sendable (_ script: String) -> String

    /// Returns the script for a shell.
    static func of(_ shell: CompletionsCommand.Shell) -> CompletionScript {
        switch shell {
        case .bash: .bash
        case .zsh: .zsh
        case .fish: .fish
        }
    }

    /// The script that ArgumentParser generates.
    var generated: String { WaybillCommand.completionScript(for: shell) }

    /// The text of the script.
    var text: String { completed(replacements.reduce(generated) { $0.replacing($1.old, with: $1.new) }) + "\n" }

    /// The names of the commands, for 'waybill help'.
    static var commands: String {
        WaybillCommand.configuration.subcommands.compactMap { $0.configuration.commandName }.joined(separator: " ")
    }
}
