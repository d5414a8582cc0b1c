import WaybillJSON

/// The summaries of runs in one JSON document: `{runs: […]}`, each as `run.json` has it.
package enum JSONReport: RunReport {
    package static let name = "json"

    package static func document(for runs: [RunResult]) -> String {
        var stream = JSONStream(layout: .pretty)
        stream.add(Document(runs: runs))
        return String(decoding: stream.bytes, as: UTF8.self) + "\n"
    }

    private struct Document: JSONStreamable {
        let runs: [RunResult]

        func addMembers(to object: inout JSONStream) { object.add("runs", each: runs) }
    }
}
