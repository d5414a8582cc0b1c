/// Parses JSON text (RFC 8259) strictly, and preserves the digits of numbers and the order of members.
///
/// The parser decides what the RFC leaves open as follows:
/// - A byte order mark at the start is ignored (section 8.1 allows it).
/// - Bytes that are not UTF-8 are an error.
/// - An escape that is half of a surrogate pair becomes U+FFFD and its four digits, so that different strings stay
///   different. The grammar allows it (section 8.2), servers that truncate strings do send it, and a string of Unicode
///   code points cannot hold it. `parseDocument` reports it.
/// - If a name is repeated in an object, the last value replaces the first, in its position. `parseDocument` reports
///   it.
/// - Numbers may have any size; nesting is limited by `maximumDepth`.
package struct JSONParser: Sendable {
    /// The maximum nesting depth of arrays and objects, 512 by default. It cannot exceed `JSON.greatestDepth`.
    package var maximumDepth = 512
    /// The path of a member, from the outermost object, that is checked but not decoded: its value is the bytes of its JSON
    /// text, in much less memory. So is that of a list on the way to it.
    package var undecodedMember: [String] = []
    /// The limit of `maximumDepth`.
    private var depthLimit = JSON.greatestDepth
    /// Whether parsing fails once `WorkLimit` is reached. Files of the program must be read even then.
    private let stopsAtLimit: Bool

    /// Creates a parser with the default limit of depth.
    ///
    /// - Parameter stopsAtLimit: Whether parsing fails once `WorkLimit` is reached, as it must for data from a server.
    package init(stopsAtLimit: Bool = false) {
        self.stopsAtLimit = stopsAtLimit
    }

    /// A parser of files and texts that the program itself has written. They nest a value of the maximum depth some
    /// levels more deeply.
    package static let ownFiles: JSONParser = {
        var parser = JSONParser()
        parser.depthLimit = JSON.greatestDepth + 32
        parser.maximumDepth = parser.depthLimit
        return parser
    }()

    /// Parses a text that is one value, surrounded only by white space. The offsets of errors are relative to the start
    /// of a part of a text, such as a line.
    package func parse(_ bytes: some Sequence<UInt8>) throws(JSONSyntaxError) -> JSON {
        try parseDocument(bytes).value
    }

    /// Parses a text that is one value, and reports what is questionable in it.
    package func parseDocument(_ bytes: some Sequence<UInt8>) throws(JSONSyntaxError) -> JSONDocument {
        let depth = min(maximumDepth, depthLimit)
        var reading = JSONReading(Array(bytes), maximumDepth: depth, undecodedMember, stopsAtLimit: stopsAtLimit)
        return try reading.readDocument()
    }
}

/// The result of parsing a JSON text, with what is questionable in it.
package struct JSONDocument: Sendable {
    package let value: JSON
    /// The first name that is repeated in its object, and the byte offset of the repetition.
    package let duplicateName: (name: String, offset: Int)?
    /// The escapes that are half of a surrogate pair. Each became U+FFFD and its four digits.
    package let loneSurrogates: LoneSurrogates?

    /// Escapes that are half of a surrogate pair.
    package struct LoneSurrogates: Sendable, Equatable {
        /// The number of these escapes.
        package var count: Int
        /// The byte offset of the first one.
        package var firstOffset: Int

        /// Creates a count with an offset.
        package init(count: Int, firstOffset: Int) {
            self.count = count
            self.firstOffset = firstOffset
        }
    }
}

/// The error for bytes that are not JSON (RFC 8259), and its location.
package struct JSONSyntaxError: Error, Sendable, Equatable {
    /// The message for the user: `expected a comma or ]`.
    package let message: String
    /// The offset of the invalid byte, from 0; the number of bytes if the text ends too early.
    package let offset: Int

    /// Creates an error at a byte offset.
    package init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// The message and the byte offset of the error.
    package var description: String { "\(message), at byte \(offset)" }
}
