/// The reason why an expression has no value. The message never contains a value of the data, which may be secret.
package struct EvaluationError: Error, Sendable, Equatable {
    /// The kind of an error.
    package enum Kind: Sendable, Equatable {
        /// A path or a function found nothing; `default()` replaces that.
        case missing
        /// The scope reports that a name cannot be used now.
        case unavailable
        /// A value is of the wrong type.
        case type
        /// A value is of the right type but cannot be used: a division by zero, or a string that is not a number.
        case value
        /// The work or the result exceeds a limit.
        case limit
    }

    /// The kind of the error.
    package var kind: Kind
    /// The error message: one sentence without a full stop.
    package var message: String
    /// The part of the expression that failed, in UTF-8 bytes of the text.
    package var range: Range<Int>

    /// Creates an error for a part of an expression. Functions leave the range to the evaluator.
    package init(_ kind: Kind, _ message: String, at range: Range<Int> = 0..<0) {
        self.kind = kind
        self.message = message
        self.range = range
    }
}
