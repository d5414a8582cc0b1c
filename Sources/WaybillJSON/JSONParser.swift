/// Reads JSON text (RFC 8259), strictly, with the digits of its numbers and the order of its members.
///
/// What the RFC leaves open is settled so:
/// - A byte order mark at the start is ignored (section 8.1 allows it).
/// - Bytes that are not UTF-8 are refused.
/// - An escape that is half of a surrogate pair becomes U+FFFD. It is within the grammar (section 8.2), servers that cut
///   texts do send it, and a string of Unicode code points cannot hold it;
///   `parseDocument` reports it.
/// - Where a name comes again in an object, the last value wins, at the place of the first; `parseDocument` tells.
/// - Numbers may have any size; nesting is limited by `maximumDepth`.
package struct JSONParser: Sendable {
    /// How deeply arrays and objects may be nested, 512 unless set; more than `JSON.greatestDepth` counts as that.
    package var maximumDepth = 512

    /// A parser with the default limit.
    package init() {}

    /// Reads a text that is one value, with nothing but white space around it.
    package func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSON {
        try parseDocument(bytes).value
    }

    /// Reads a part of a text, such as a line, that is one value; offsets of errors are from the start of the part.
    package func parse(_ bytes: ArraySlice<UInt8>) throws(JSONSyntaxError) -> JSON {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONSyntaxError) in try parse(buffer) }
    }

    /// Reads a part of a text that is one value, and tells what is questionable in it; offsets are from the part's start.
    package func parseDocument(_ bytes: ArraySlice<UInt8>) throws(JSONSyntaxError) -> JSONDocument {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONSyntaxError) in try document(buffer) }
    }

    /// Reads bytes in memory that are one value; they are not referred to afterwards.
    package func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONSyntaxError) -> JSON {
        try document(bytes).value
    }

    /// Reads a text that is one value, and tells what is questionable in it.
    package func parseDocument(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONDocument {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONSyntaxError) in try document(buffer) }
    }

    private func document(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONSyntaxError) -> JSONDocument {
        try Self.document(bytes, maximumDepth: min(maximumDepth, JSON.greatestDepth))
    }

    /// Reads a text that the program has written itself, in which a value of `JSON.greatestDepth` may be nested further.
    package static func parse(_ bytes: [UInt8], maximumDepth: Int) throws(JSONSyntaxError) -> JSON {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONSyntaxError) in
            try document(buffer, maximumDepth: maximumDepth).value
        }
    }

    private static func document(
        _ bytes: UnsafeBufferPointer<UInt8>,
        maximumDepth: Int
    ) throws(JSONSyntaxError) -> JSONDocument {
        var reading = JSONReading(bytes, maximumDepth: maximumDepth)
        return try reading.readDocument()
    }
}

/// What a JSON text says, and what is questionable in it.
package struct JSONDocument: Sendable {
    /// The value.
    package let value: JSON
    /// The first name that comes again in its object, and the byte at which it does so.
    package let duplicateName: (name: String, offset: Int)?
    /// The escapes that are half of a surrogate pair, each of which became U+FFFD.
    package let loneSurrogates: LoneSurrogates?

    /// Escapes that are half of a surrogate pair.
    package struct LoneSurrogates: Sendable, Equatable {
        /// How many there are.
        package var count: Int
        /// The byte at which the first one starts.
        package var firstOffset: Int

        /// Puts a count and an offset together.
        package init(count: Int, firstOffset: Int) {
            self.count = count
            self.firstOffset = firstOffset
        }
    }
}

/// Why bytes are not JSON (RFC 8259), and where.
package struct JSONSyntaxError: Error, Sendable, Equatable {
    /// What is wrong, for a person: `a comma or ] was expected`.
    package let message: String
    /// The byte that cannot stand where it is, from 0; the number of bytes where the text ends too early.
    package let offset: Int

    /// A mistake at a byte.
    package init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// The message and the byte offset of the error.
    package var description: String { "\(message), at byte \(offset)" }
}
