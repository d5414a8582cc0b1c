/// The names of the files that a run writes about itself, in the folder of its results.
package enum RunFileNames {
    package static let journal = "events.ndjson"
    package static let result = "run.json"
    package static let outputs = "outputs.json"
    package static let sources = "sources.json"
    package static let bodies = "bodies"

    /// All of them: no step may write a file of such a name.
    package static let all: Set<String> = [journal, result, outputs, sources, bodies]
}
