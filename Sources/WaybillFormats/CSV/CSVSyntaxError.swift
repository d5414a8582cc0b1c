package import WaybillDiagnostics

/// The error for a text that is not CSV (RFC 4180), and its location.
package struct CSVSyntaxError: Error, Sendable, Equatable {
    /// The message for the user: `the row has 2 fields, but the header has 3 names`.
    package let message: String
    /// What to do about it, as a whole sentence, unless that is obvious.
    package let help: String?
    /// The range of the error in bytes, from the start of the text.
    package let range: Range<Int>
    /// The line and column of its start.
    package let position: SourcePosition

    /// The byte offset of the error, from 0.
    package var offset: Int { range.lowerBound }
}

extension CSVSyntaxError: CustomStringConvertible {
    /// The message with line, column and byte offset.
    package var description: String {
        "\(message), at line \(position.line), column \(position.column), byte \(offset)"
    }
}

/// An error in a record, at bytes relative to its start.
struct CSVError: Error {
    var message: String
    var help: String?
    var range: Range<Int>

    init(_ message: String, at range: Range<Int>, help: String? = nil) {
        self.message = message
        self.help = help
        self.range = range
    }
}
