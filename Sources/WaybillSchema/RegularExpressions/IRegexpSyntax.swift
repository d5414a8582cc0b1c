/// The parts of an I-Regexp (RFC 9485, section 3).
indirect enum IRegexpSyntax {
    /// One code point of a set.
    case set(ScalarSet)
    /// One certain code point.
    case scalar(Unicode.Scalar)
    /// The beginning of the text.
    case start
    /// The end of the text.
    case end
    /// One after another; an empty list matches the empty text.
    case sequence([IRegexpSyntax])
    /// One of several, earlier ones preferred.
    case choice([IRegexpSyntax])
    /// A group, numbered from 1 by its opening parenthesis.
    case group(Int, IRegexpSyntax)
    /// The same again and again, as often as possible; no upper bound when `most` is `nil`.
    case repetition(IRegexpSyntax, least: Int, most: Int?)

    /// Whether it matches the empty text and does nothing else. The parser leaves such parts out, so that a pattern
    /// cannot ask for thousands of repetitions of thousands of nothings.
    var isEmpty: Bool {
        if case .sequence(let parts) = self { parts.isEmpty } else { false }
    }
}

/// A pattern that is not an I-Regexp: what is wrong, and which code point of the pattern (from 0) it is.
package struct IRegexpSyntaxError: Error, Sendable, Equatable {
    package var message: String
    package var offset: Int
}
