/// The names of the files that every run writes, in the folder of its results.
package enum RunFileNames {
    /// The events of the run, one per line.
    package static let journal = "events.ndjson"
    /// The result of the run and of each step.
    package static let result = "run.json"
    /// The outputs of the graphs.
    package static let outputs = "outputs.json"
    /// The sources of the run, for `resume`.
    package static let sources = "sources.json"
    /// The manifests of a suite, whose runs have folders of their own.
    package static let suite = "suite.json"
    /// The order in which the runs were created, beside their folders.
    package static let order = ".order"
    /// The folder with the bodies of failed responses.
    package static let bodies = "bodies"

    /// Whether a name is that of a file that is not complete yet, or of a download's record beside it.
    package static func isOfUnfinishedFile(_ name: some StringProtocol) -> Bool {
        [".part", ".part.json"].contains { ends(name, with: $0) }
    }

    // `hasSuffix` takes long for a name with many marks, which a server may suggest.
    private static func ends(_ name: some StringProtocol, with suffix: String) -> Bool {
        name.utf8.count >= suffix.utf8.count && name.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// The suffixes of the files that SQLite creates next to a database, and reads when it opens the database.
    package static let suffixesOfDatabase = ["-journal", "-wal", "-shm"]

    /// Whether a name has the suffix of a file that SQLite creates next to a database.
    package static func isOfDatabase(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return suffixesOfDatabase.contains { ends(name, with: $0) }
    }

    /// All of these names. No step may write a file with one of these names.
    package static let all: Set<String> = [journal, result, outputs, sources, suite, order, bodies]
}
