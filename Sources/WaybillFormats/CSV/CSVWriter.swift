package import WaybillJSON

/// Writes CSV text (RFC 4180), with quotes only around fields that need them. Each row ends with CR LF.
///
/// `CSVReader` reads the output back as the same strings. Null and an empty string are the same in CSV.
package struct CSVWriter: Sendable {
    /// Whether strings and names that a spreadsheet would treat as a formula start with an apostrophe.
    package var escapesFormulas: Bool

    /// Creates a writer. By default, strings are written as they are.
    package init(escapesFormulas: Bool = false) {
        self.escapesFormulas = escapesFormulas
    }

    /// Appends a row of values with its line break, in UTF-8.
    ///
    /// Null becomes an empty field, a string is written as it is unless it is a formula, a number with its digits, and an
    /// array or object as JSON on one line.
    package func write(_ row: some Sequence<JSON>, to output: inout [UInt8]) {
        writeRow(row.lazy.map(text), to: &output)
    }

    /// Appends the names of the columns with a line break, in UTF-8.
    package func write(header names: some Sequence<String>, to output: inout [UInt8]) {
        writeRow(names.lazy.map(escaped), to: &output)
    }

    private func writeRow(_ fields: some Sequence<String>, to output: inout [UInt8]) {
        let start = output.count
        var isFirst = true
        for field in fields {
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            Self.write(field, to: &output)
        }
        // A single empty field would be an empty line, which is not a row.
        if output.count == start, !isFirst { output += [UInt8(ascii: "\""), UInt8(ascii: "\"")] }
        output += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    private static func write(_ field: String, to output: inout [UInt8]) {
        let bytes = field.utf8.span
        // A byte order mark within quotes is ordinary text.
        let hasMark = field.utf8.starts(with: CSVRecordEnd.byteOrderMark)
        guard hasMark || bytes.indices.contains(where: { isSpecial(bytes[$0]) }) else {
            return output.append(contentsOf: field.utf8)
        }
        output.append(UInt8(ascii: "\""))
        for byte in field.utf8 {
            if byte == UInt8(ascii: "\"") { output.append(byte) }
            output.append(byte)
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        default: false
        }
    }

    private func escaped(_ text: String) -> String { escapesFormulas && Self.isFormula(text) ? "'\(text)" : text }

    /// Whether a spreadsheet treats a text as a formula, or strips its first character and then does.
    private static func isFormula(_ text: some StringProtocol) -> Bool {
        text.utf8.first.map("=+-@\t\r".utf8.contains) ?? false
    }

    /// Returns the name of a column as it was before `write(header:to:)`.
    package func name(fromHeader text: String) -> String {
        escapesFormulas && text.hasPrefix("'") && Self.isFormula(text.dropFirst()) ? String(text.dropFirst()) : text
    }

    private func text(of value: JSON) -> String {
        switch value {
        case .null: ""
        case .string(let text): escaped(text)
        case .bytes(let bytes): Base64.encode(bytes)
        case .bool, .number, .array, .object: JSONWriter().string(value)
        }
    }
}
