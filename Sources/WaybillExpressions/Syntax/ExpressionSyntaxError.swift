/// What is wrong with the text of an expression, a JSONPath or a template, and where.
package struct ExpressionSyntaxError: Error, Sendable, Equatable {
    /// What is wrong, in one sentence without a full stop.
    package var message: String
    /// The place, in UTF-8 bytes of the text that was parsed.
    package var range: Range<Int>
    /// What to do about it, if there is something to say.
    package var help: String?

    /// An error at a range of bytes.
    package init(_ message: String, at range: Range<Int>, help: String? = nil) {
        self.message = message
        self.range = range
        self.help = help
    }

    /// The same error in a text that holds this one from a byte offset on.
    package func moved(by offset: Int) -> ExpressionSyntaxError {
        ExpressionSyntaxError(message, at: range.moved(by: offset), help: help)
    }
}

/// Something in an expression that works, but probably does not do what was meant.
package struct ExpressionWarning: Sendable, Equatable {
    /// What is suspicious, in one sentence without a full stop.
    package var message: String
    /// The place, in UTF-8 bytes of the text that was parsed.
    package var range: Range<Int>
    /// What to write instead.
    package var help: String?

    /// A warning at a range of bytes.
    package init(_ message: String, at range: Range<Int>, help: String? = nil) {
        self.message = message
        self.range = range
        self.help = help
    }

    /// The same warning in a text that holds this one from a byte offset on.
    package func moved(by offset: Int) -> ExpressionWarning {
        ExpressionWarning(message, at: range.moved(by: offset), help: help)
    }
}

extension Range<Int> {
    /// The range as far behind as an offset says.
    func moved(by offset: Int) -> Range<Int> {
        lowerBound + offset..<upperBound + offset
    }
}
