/// The steps that the journal of a run lists that has no result, because it is still running or was killed.
package struct RecordedSteps: Sendable {
    /// The steps by path, in the order in which they started, without those inside elements.
    private var results: [String: StepResult] = [:]
    private var order: [String] = []
    /// The paths of the steps that have started but not finished.
    package private(set) var unfinished: Set<String> = []

    /// The results, in the order in which the steps started. One that has not finished counts as cancelled, and has the
    /// elements that have finished.
    package var steps: [StepResult] { order.compactMap { results[$0] } }

    /// Reads the journal in a folder, as far as it can be read.
    package init(folder: String) {
        var reader = JournalReader("\(folder)/\(FolderContents.journal)")
        try? reader.readEvents { take($0) }
    }

    private mutating func take(_ event: RunEvent) {
        guard let path = event.step, !path.utf8.contains(UInt8(ascii: "[")), !path.hasPrefix("session.") else { return }
        switch event.kind {
        case .stepStarted, .requestWillSend: start(path)
        case .stepSkipped:
            start(path)
            results[path]?.outcome = .skipped
            unfinished.remove(path)
        case .elementsStarted: if results[path]?.elements == nil { results[path]?.elements = ElementResults() }
        case .elementFinished(let end):
            results[path]?.elements?.add(element: end.index, end.outcome, end.failure, end.subject)
        case .stepFinished(let result, _):
            start(path)
            results[path] = result
            unfinished.remove(path)
        default: break
        }
    }

    /// Adds a step. One that starts again in a resumed run keeps the elements that had finished.
    private mutating func start(_ path: String) {
        if results[path] == nil { order.append(path) }
        unfinished.insert(path)
        let (graph, id) = (path.prefix { $0 != "." }, path.split(separator: ".").last ?? "")
        var result = StepResult(id: String(id), path: path, graph: String(graph), outcome: .cancelled)
        result.elements = results[path]?.elements
        results[path] = result
    }
}
