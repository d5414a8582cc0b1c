import WaybillJSON

/// Texts and bytes as they are, one right behind the other; anything else as JSON on a line.
struct RawRecords: RecordFormat {
    mutating func append(_ record: Record, isFirst: Bool, to file: inout [UInt8]) {
        switch record {
        case .bytes(let bytes): file += bytes.bytes
        case .value(let value):
            if let text = value.value.string {
                file += Array(text.utf8)
            } else {
                record.writeJSON(to: &file)
                file.append(UInt8(ascii: "\n"))
            }
        }
    }
}
