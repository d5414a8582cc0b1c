import WaybillJSON

/// The coverage of the OpenAPI documents that the runs use, combined by document, as JSON: `{documents: […]}`, each as
/// under `coverage` in `run.json`.
package enum CoverageReport: RunReport {
    package static let name = "coverage"

    package static func write(_ runs: [ReportedRun], to stream: inout ReportStream) {
        stream.write(Self.bytes(of: ContractCoverage.combined(runs.map(\.result.coverage))))
    }

    /// Returns the report of some documents.
    package static func bytes(of documents: [ContractCoverage]) -> [UInt8] {
        var stream = JSONStream(layout: .pretty)
        stream.add { $0.add("documents", each: documents) }
        return stream.bytes + [UInt8(ascii: "\n")]
    }
}
