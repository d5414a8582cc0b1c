/// Why an expression has no value. The words never hold a value of the data, which may be secret.
package struct EvaluationError: Error, Sendable, Equatable {
    /// What went wrong.
    package enum Kind: Sendable, Equatable {
        /// A path or a function found nothing; `default()` replaces that.
        case missing
        /// The scope says that a name cannot be used now.
        case unavailable
        /// A value is of the wrong type.
        case type
        /// A value is of the right type but cannot be used: a division by zero, text that is not a number.
        case value
        /// The work or the result is larger than allowed.
        case limit
    }

    /// What went wrong.
    package var kind: Kind
    /// The same in one sentence without a full stop.
    package var message: String
    /// The part of the expression, in UTF-8 bytes of its text.
    package var range: Range<Int>

    /// An error at a part of an expression.
    package init(_ kind: Kind, _ message: String, at range: Range<Int>) {
        self.kind = kind
        self.message = message
        self.range = range
    }

    /// The same error in a text that holds this one from a byte offset on.
    package func moved(by offset: Int) -> EvaluationError {
        EvaluationError(kind, message, at: range.moved(by: offset))
    }
}
