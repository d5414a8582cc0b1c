import ArgumentParser
import WaybillEditor
import WaybillPlatform
import WaybillRuntime

/// `waybill lsp`
struct LanguageServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lsp",
        abstract: "Serves an editor with the Language Server Protocol on standard input and output.",
        discussion: """
            Editors start it: docs/editors.md has set-ups for Neovim, Helix, Emacs and Visual Studio Code. It sends no \
            requests and changes no files.

            Exit status: 0 the editor has ended the session, 1 it has disappeared or does not follow the protocol, 64 \
            wrong usage.
            """
    )

    @Flag(help: "Allow manifests to use files outside their folders.")
    var allowOutside = false

    func run() throws {
        let server = LanguageServer(output: STDOUT_FILENO, allowsOutside: allowOutside)
        // A client that has closed its end has disappeared.
        let hasEnded = (try? server.run(input: STDIN_FILENO)) ?? false
        if !hasEnded { throw ExitStatus.failed }
    }
}
