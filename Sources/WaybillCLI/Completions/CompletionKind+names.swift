import ArgumentParser
import WaybillPipeline

extension CompletionKind {
    /// The names in the manifests of the command line.
    static func names(_ kind: ManifestCompletions.Kind) -> CompletionKind {
        candidates { ManifestCompletions($0).candidates(for: kind) }
    }

    /// The words that a function returns for the words of the command line.
    static func candidates(_ candidates: @escaping @Sendable (CommandWords) -> [String]) -> CompletionKind {
        .custom { ShellCandidates.written(candidates(CommandWords($0, $1, $2))) }
    }

    /// NAME=VALUE for the inputs of the command: those of an endpoint for `call`, else those of the manifests.
    static let inputs = CompletionKind.custom { words, index, prefix in
        let kind: ManifestCompletions.Kind = words.dropFirst().first == "call" ? .endpointInput : .input
        let words = CommandWords(words, index, prefix)
        return ShellCandidates.written(ManifestCompletions(words).candidates(for: kind))
    }

    /// Earlier runs, by name or folder.
    static let runs = candidates { RunCompletions.runs($0.prefix) }
}

extension CommandWords {
    /// The options whose value is the next word, for the commands with manifests or runs.
    static let valueOptions: Set<String> = [
        "--against", "--allow", "--concurrency", "--coverage", "--env", "--env-file", "--env-file-out", "--environment",
        "--explain", "--format", "--from",
        "--graph", "--har",
        "--html",
        "--input", "--inputs", "--jobs", "--json", "--junit", "--markdown", "--min-coverage", "--not-tag", "--only",
        "--openapi",
        "--out", "--phase", "--port", "--prometheus", "--report", "--shard", "--state", "--step", "--tag", "--tap",
    ]

    /// Creates the words that ArgumentParser passes to the completion of a value.
    init(_ words: [String], _ index: Int, _ prefix: String) {
        var command: any ParsableCommand.Type = WaybillCommand.self
        var depth = 1
        while depth < words.count,
            let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == words[depth] })
        {
            command = next
            depth += 1
        }
        // ArgumentParser takes the prefix from the last word, also if the cursor is in an earlier one.
        let isLast = index >= words.count - 1
        self.init(
            words,
            at: index,
            prefix: isLast ? prefix : words[index],
            depth: depth,
            valueOptions: Self.valueOptions
        )
    }
}
