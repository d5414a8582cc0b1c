/// A parsed regular expression.
indirect enum PatternSyntax: Sendable {
    case scalar(UInt32)
    case set(CharacterClass)
    /// Parts in sequence; an empty list matches the empty string.
    case sequence([PatternSyntax])
    /// One of several alternatives, preferring earlier ones.
    case alternatives([PatternSyntax])
    /// A group, numbered from 1 by its opening parenthesis.
    case capture(Int, PatternSyntax)
    /// A repetition, without limit if `most` is `nil`; `captures` are the groups inside.
    case repetition(PatternSyntax, least: Int, most: Int?, isGreedy: Bool, captures: Range<Int>)
    case start
    case end
    case wordBoundary(isNegated: Bool)
    case lookAround(PatternSyntax, isBackward: Bool, isNegated: Bool)
    case backreference(Int)

    /// Whether it matches only the empty string. The parser leaves out such parts, so that a pattern cannot repeat
    /// empty matches millions of times.
    var isEmpty: Bool {
        if case .sequence(let parts) = self { parts.isEmpty } else { false }
    }

    /// Whether it is a condition on a position, which matches no text.
    var isAssertion: Bool {
        switch self {
        case .start, .end, .wordBoundary, .lookAround: true
        case .scalar, .set, .sequence, .alternatives, .capture, .repetition, .backreference: false
        }
    }
}
