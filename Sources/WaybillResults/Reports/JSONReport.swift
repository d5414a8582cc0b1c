import WaybillJSON

/// The summaries of runs as one JSON document: `{runs: […]}`, each as in `run.json`.
package enum JSONReport: RunReport {
    package static let name = "json"

    package static func write(_ runs: [ReportedRun], to stream: inout ReportStream) {
        var document = JSONStream(layout: .pretty)
        document.add { $0.add("runs", each: runs.map(\.result)) }
        stream.write(document.bytes)
        stream.write("\n")
    }
}
