/// A regular expression, parsed.
indirect enum PatternSyntax: Sendable {
    case set(CharacterClass)
    case scalar(UInt32)
    case sequence([PatternSyntax])
    case alternatives([PatternSyntax])
    case capture(Int, PatternSyntax)
    case repetition(PatternSyntax, least: Int, most: Int?, isGreedy: Bool, captures: Range<Int>)
    case start
    case end
    case wordBoundary(isNegated: Bool)
    case look(PatternSyntax, isBehind: Bool, isNegated: Bool)
    case backreference(Int)
}
