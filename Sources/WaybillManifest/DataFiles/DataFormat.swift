import WaybillRuntime

/// How the text of a data file is read.
package enum DataFormat: String, Sendable, CaseIterable {
    /// A header and rows (RFC 4180): a list of objects of texts.
    case csv
    /// One JSON value.
    case json
    /// A JSON value a line; blank lines say nothing.
    case ndjson
    /// One YAML document.
    case yaml

    /// The format that the ending of a file's name tells, if it tells one.
    package init?(path: String) {
        let name = FileContents.name(of: path)
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        switch name[dot...].lowercased() {
        case ".csv": self = .csv
        case ".json": self = .json
        case ".ndjson", ".jsonl": self = .ndjson
        case ".yaml", ".yml": self = .yaml
        default: return nil
        }
    }
}
