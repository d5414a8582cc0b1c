/// A regular expression, parsed.
indirect enum PatternSyntax: Sendable {
    case scalar(UInt32)
    case set(CharacterClass)
    /// One after another; an empty list matches the empty text.
    case sequence([PatternSyntax])
    /// One of several, earlier ones preferred.
    case alternatives([PatternSyntax])
    /// A group, numbered from 1 by its opening parenthesis.
    case capture(Int, PatternSyntax)
    /// The same repeatedly, without limit when `most` is `nil`; `captures` are the groups inside.
    case repetition(PatternSyntax, least: Int, most: Int?, isGreedy: Bool, captures: Range<Int>)
    case start
    case end
    case wordBoundary(isNegated: Bool)
    case look(PatternSyntax, isBehind: Bool, isNegated: Bool)
    case backreference(Int)

    /// Whether it only matches the empty text. The parser leaves such parts out, so that a pattern cannot repeat empty
    /// matches millions of times.
    var isEmpty: Bool {
        if case .sequence(let parts) = self { parts.isEmpty } else { false }
    }

    /// Whether it is a condition on a position, which matches no text.
    var isAssertion: Bool {
        switch self {
        case .start, .end, .wordBoundary, .look: true
        case .scalar, .set, .sequence, .alternatives, .capture, .repetition, .backreference: false
        }
    }
}
