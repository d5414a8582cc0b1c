import ArgumentParser

/// `waybill completions`
struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Prints a script that completes commands in a shell.",
        discussion: """
            The script completes commands, options and files; graphs, endpoints, environments, inputs, steps and tags \
            from the manifest that the command line names, even if it has errors, unless its YAML cannot be read; and \
            earlier runs. It runs 'waybill' for that, which reads the manifest and sends nothing.

            To install it in bash, which needs the package bash-completion:
              mkdir -p ~/.local/share/bash-completion/completions
              waybill completions bash > ~/.local/share/bash-completion/completions/waybill
            Without that package, put this into ~/.bashrc:
              source <(waybill completions bash)

            In zsh, with 'fpath=(~/.zfunc $fpath)' before 'compinit' in ~/.zshrc:
              mkdir -p ~/.zfunc
              waybill completions zsh > ~/.zfunc/_waybill

            In fish:
              mkdir -p ~/.config/fish/completions
              waybill completions fish > ~/.config/fish/completions/waybill.fish

            Then start a new shell. Write the script again after an update of waybill.
            """
    )

    /// The shells.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @Argument(help: "The shell.")
    var shell: Shell

    func run() throws {
        try Output(noColour: true).writeResult(Array(CompletionScript(shell: shell).text.utf8), as: .verbatim)
    }
}
