import WaybillJSON

/// Splits one record into its fields (RFC 4180, section 2).
struct CSVFields {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position: Int
    private var isAtEnd = false

    /// Creates a reader of the fields of a record without its line break, starting at a byte offset.
    init(_ record: UnsafeBufferPointer<UInt8>, from start: Int = 0) {
        bytes = record
        position = start
    }

    /// Returns the text of the next field and its byte range, including quotes; `nil` after the last one.
    mutating func next() throws(CSVError) -> (text: String, range: Range<Int>)? {
        if isAtEnd { return nil }
        let start = position
        let isQuoted = position < bytes.count && bytes[position] == UInt8(ascii: "\"")
        let text = isQuoted ? try quoted() : try unquoted()
        let range = start..<position
        if position < bytes.count { position += 1 } else { isAtEnd = true }
        return (text, range)
    }

    private mutating func unquoted() throws(CSVError) -> String {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: ",") {
            if bytes[position] == UInt8(ascii: "\"") {
                throw CSVError(
                    "unexpected quote in a field that does not start with one",
                    at: position..<position + 1,
                    help: "Put a field that contains quotes in quotes, and double each quote in it: \"a \"\"b\"\" c\"."
                )
            }
            position += 1
        }
        return try text(start..<position)
    }

    private mutating func quoted() throws(CSVError) -> String {
        let start = position
        var parts: [Range<Int>] = []
        position += 1
        while true {
            let partStart = position
            while position < bytes.count, bytes[position] != UInt8(ascii: "\"") { position += 1 }
            guard position < bytes.count else {
                throw CSVError("the quote that starts this field is never closed", at: start..<start + 1)
            }
            position += 1
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                parts.append(partStart..<position - 1)
                break
            }
            parts.append(partStart..<position)
            position += 1
        }
        guard position == bytes.count || bytes[position] == UInt8(ascii: ",") else {
            throw CSVError(
                "expected a comma or the end of the line after the closing quote",
                at: position..<position + 1,
                help: "Double a quote within quotes."
            )
        }
        if parts.count == 1 { return try text(parts[0]) }
        var text = ""
        for part in parts { text += try self.text(part) }
        return text
    }

    private func text(_ range: Range<Int>) throws(CSVError) -> String {
        let part = UnsafeBufferPointer(rebasing: bytes[range])
        if let text = String(validating: part, as: UTF8.self) { return text }
        let offset = range.lowerBound + (UTF8Check.firstFault(in: part) ?? 0)
        throw CSVError("the text is not valid UTF-8", at: offset..<offset + 1, help: "Save the file as UTF-8.")
    }
}
