import WaybillFormats
package import WaybillJSON

/// Strings and bytes written unchanged and without separators; any other value is written as JSON on a line. This
/// format cannot be read.
package struct RawFormat: WritableRecordFormat {
    package static let name = "raw"
    package static let extensions = ["bin", "txt"]
    // The contents may be compressed already.
    package static let isCompressible = false

    package init(columns: [String]? = nil) {}

    package mutating func append(_ record: JSON, isFirst: Bool, to file: inout [UInt8]) {
        switch record {
        case .bytes(let bytes): file += bytes
        case .string(let text): file += text.utf8
        case .null, .bool, .number, .array, .object:
            JSONWriter(stopsAtDeadline: true).write(record, to: &file)
            file.append(UInt8(ascii: "\n"))
        }
    }
}
