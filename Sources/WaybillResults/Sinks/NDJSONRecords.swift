import WaybillJSON

/// One JSON value a line.
struct NDJSONRecords: RecordFormat {
    mutating func append(_ record: Record, isFirst: Bool, to file: inout [UInt8]) {
        record.writeJSON(to: &file)
        file.append(UInt8(ascii: "\n"))
    }
}

extension Record {
    /// Appends the record as JSON; bytes as a string of base64.
    func writeJSON(to output: inout [UInt8]) {
        switch self {
        case .value(let value): JSONWriter().write(value.value, to: &output)
        case .bytes(let bytes): JSONWriter().write(.string(Base64.encode(bytes.bytes)), to: &output)
        }
    }
}
