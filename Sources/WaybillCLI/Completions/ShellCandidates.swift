import ArgumentParser

/// Writes candidates as the completion script of the requesting shell reads them.
///
/// ArgumentParser passes candidates on as they are, although each shell interprets some characters. Names in a manifest
/// must not be executed by the shell that completes them.
enum ShellCandidates {
    /// Returns the candidates in the form for the requesting shell.
    static func written(_ words: [String]) -> [String] {
        guard let shell = CompletionShell.requesting.flatMap({ CompletionsCommand.Shell(rawValue: $0.rawValue) }) else {
            return words
        }
        return written(words, for: shell)
    }

    /// Returns the candidates in the form for a shell.
    static func written(_ words: [String], for shell: CompletionsCommand.Shell) -> [String] {
        switch shell {
        // 'compgen -W' expands each line like a command's arguments, command substitutions included.
        case .bash: words.map { "'" + $0.replacing("'", with: #"'\''"#) + "'" }
        // '_describe' separates a description by a colon.
        case .zsh: words.map { $0.replacing(#"\"#, with: #"\\"#).replacing(":", with: #"\:"#) }
        // Fish inserts '~' as it is, which would become a home folder. It prints what follows the tab beside the
        // candidate, which is otherwise the description of the option.
        case .fish: words.filter { !$0.hasPrefix("~") }.map { $0 + "\t" }
        }
    }
}
