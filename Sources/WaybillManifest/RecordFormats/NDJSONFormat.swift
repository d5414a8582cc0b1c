package import WaybillDiagnostics
import WaybillFormats
package import WaybillJSON

/// One JSON value per line; blank lines are ignored.
package struct NDJSONFormat: ReadableRecordFormat, WritableRecordFormat {
    package static let name = "ndjson"
    package static let extensions = ["ndjson", "jsonl"]
    package static let isList = true

    package static func read(_ file: DataFile, _ body: (DataDocument) -> Bool) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        for line in NDJSONLines(file.bytes) {
            guard diagnostics.count < DataFile.maximumDiagnostics else { break }
            let (found, continues) = JSONFormat.read(line, of: file, body)
            diagnostics += found
            if !continues { break }
        }
        return diagnostics
    }

    package init(columns: [String]? = nil) {}

    package mutating func append(_ record: JSON, isFirst: Bool, to file: inout [UInt8]) {
        JSONWriter(stopsAtDeadline: true).write(record, to: &file)
        file.append(UInt8(ascii: "\n"))
    }
}
