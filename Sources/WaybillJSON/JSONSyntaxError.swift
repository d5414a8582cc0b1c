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
