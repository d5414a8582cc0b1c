/// An error in the text of an expression, a JSONPath or a template, with its location.
package struct ExpressionSyntaxError: Error, Sendable, Equatable {
    /// The error message: one sentence without a full stop.
    package var message: String
    /// The location, in UTF-8 bytes of the text that was parsed.
    package var range: Range<Int>
    /// What to do about it, if there is a suggestion.
    package var help: String?

    /// Creates an error at a range of bytes.
    package init(_ message: String, at range: Range<Int>, help: String? = nil) {
        self.message = message
        self.range = range
        self.help = help
    }
}

/// A construct in an expression that is valid but probably not intended, with its location and what to write instead.
package typealias ExpressionWarning = ExpressionSyntaxError
