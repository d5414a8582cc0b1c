package import WaybillJSON

/// Writes CSV text (RFC 4180), with quotes only where a field needs them.
///
/// What it writes `CSVReader` reads back as the same texts. Null and an empty text are the same in CSV.
package struct CSVWriter: Sendable {
    /// What stands behind each row.
    package enum LineBreak: Sendable, CaseIterable {
        /// LF, as texts have it nearly everywhere.
        case lineFeed
        /// CR LF, as RFC 4180 has it.
        case carriageReturnLineFeed
    }

    /// What stands behind each row.
    package var lineBreak: LineBreak

    /// A writer, which ends rows with LF unless told otherwise.
    package init(lineBreak: LineBreak = .lineFeed) {
        self.lineBreak = lineBreak
    }

    /// Appends a row of values with its line break, in UTF-8.
    ///
    /// Null is written as nothing, a text as it is, a number with its digits, an array or object as JSON on one line.
    package func write(_ row: some Sequence<JSON>, to output: inout [UInt8]) {
        writeRow(row.lazy.map(Self.text(of:)), to: &output)
    }

    /// Appends the names of the columns with a line break, in UTF-8.
    package func write(header names: some Sequence<String>, to output: inout [UInt8]) {
        writeRow(names, to: &output)
    }

    private func writeRow(_ fields: some Sequence<String>, to output: inout [UInt8]) {
        let start = output.count
        var isFirst = true
        for field in fields {
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            Self.write(field, to: &output)
        }
        // A single empty field would be an empty line, which is no row.
        if output.count == start, !isFirst { output += [UInt8(ascii: "\""), UInt8(ascii: "\"")] }
        if lineBreak == .carriageReturnLineFeed { output.append(UInt8(ascii: "\r")) }
        output.append(UInt8(ascii: "\n"))
    }

    private static func write(_ field: String, to output: inout [UInt8]) {
        var field = field
        field.withUTF8 { bytes in
            // A byte order mark is none within quotes.
            let needsQuotes = bytes.contains(where: isSpecial) || bytes.starts(with: CSVRecordEnd.byteOrderMark)
            guard needsQuotes else { return output.append(contentsOf: bytes) }
            output.append(UInt8(ascii: "\""))
            for byte in bytes {
                if byte == UInt8(ascii: "\"") { output.append(byte) }
                output.append(byte)
            }
            output.append(UInt8(ascii: "\""))
        }
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        default: false
        }
    }

    private static func text(of value: JSON) -> String {
        switch value {
        case .null: ""
        case .string(let text): text
        case .bytes(let bytes): Base64.encode(bytes)
        case .bool, .number, .array, .object: JSONWriter().string(value)
        }
    }
}
