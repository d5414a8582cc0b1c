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

    /// Whether it matches the empty text and does nothing else. The parser leaves such parts out, so that a pattern
    /// cannot ask for thousands of repetitions of thousands of nothings.
    var isEmpty: Bool {
        if case .sequence(let parts) = self { parts.isEmpty } else { false }
    }

    /// Whether it is a condition on a position, which takes no text.
    var isAssertion: Bool {
        switch self {
        case .start, .end, .wordBoundary, .look: true
        case .scalar, .set, .sequence, .alternatives, .capture, .repetition, .backreference: false
        }
    }
}
