import WaybillJSON

/// The summaries of runs as one JSON document: `{runs: […]}`, each as in `run.json`.
package enum JSONReport: RunReport {
    package static let name = "json"

    package static func write(_ runs: [ReportedRun], to stream: inout ReportStream) {
        var document = JSONStream(layout: .pretty)
        document.add(Document(runs: runs.map(\.result)))
        stream.write(document.bytes)
        stream.write("\n")
    }

    private struct Document: JSONStreamable {
        let runs: [RunResult]

        func addMembers(to object: inout JSONStream) { object.add("runs", each: runs) }
    }
}
