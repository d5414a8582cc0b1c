import WaybillFormats
package import WaybillJSON

/// Strings and bytes as they are, one right after the other; anything else as JSON on a line. It is only written.
package struct RawFormat: WritableRecordFormat {
    package static let name = "raw"
    package static let extensions = ["bin", "txt"]
    // What is written may be compressed already.
    package static let isCompressible = false

    package init(columns: [String]? = nil) {}

    package mutating func append(_ record: JSON, isFirst: Bool, to file: inout [UInt8]) {
        switch record {
        case .bytes(let bytes): file += bytes
        case .string(let text): file += text.utf8
        case .null, .bool, .number, .array, .object:
            JSONWriter().write(record, to: &file)
            file.append(UInt8(ascii: "\n"))
        }
    }
}
