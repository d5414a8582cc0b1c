import WaybillJSON

/// Splits one record into its fields (RFC 4180, section 2).
struct CSVFields {
    /// The byte offset of the next field.
    private var position: Int
    private var isAtEnd = false

    init(from start: Int = 0) {
        position = start
    }

    /// Returns the text of the next field of a record without its line break, and its byte range, including quotes;
    /// `nil` after the last one.
    mutating func next(of bytes: Span<UInt8>) throws(CSVError) -> (text: String, range: Range<Int>)? {
        if isAtEnd { return nil }
        let start = position
        let isQuoted = position < bytes.count && bytes[position] == UInt8(ascii: "\"")
        let text = isQuoted ? try quoted(bytes) : try unquoted(bytes)
        let range = start..<position
        if position < bytes.count { position += 1 } else { isAtEnd = true }
        return (text, range)
    }

    private mutating func unquoted(_ bytes: Span<UInt8>) throws(CSVError) -> String {
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
        return try Self.text(bytes, start..<position)
    }

    private mutating func quoted(_ bytes: Span<UInt8>) throws(CSVError) -> String {
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
        if parts.count == 1 { return try Self.text(bytes, parts[0]) }
        var text = ""
        for part in parts { text += try Self.text(bytes, part) }
        return text
    }

    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(CSVError) -> String {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes.extracting(range)))
        } catch {
            let offset = range.lowerBound + error.byteOffsets.lowerBound
            throw CSVError("the text is not valid UTF-8", at: offset..<offset + 1, help: "Save the file as UTF-8.")
        }
    }
}
