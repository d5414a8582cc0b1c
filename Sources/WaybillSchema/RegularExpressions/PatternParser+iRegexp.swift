/// Atoms and classes of I-Regexp (RFC 9485, section 3).
extension PatternParser {
    mutating func iRegexpTerm() throws(RegularExpressionError) -> PatternSyntax {
        let start = position
        guard let scalar = next else { return .sequence([]) }
        position += 1
        switch scalar {
        case ".": return .set(CharacterClass(0x0A...0x0A, 0x0D...0x0D).negated)
        case "[": return .set(try characterClass(openedAt: start))
        case "\\":
            if let category = try category() { return .set(category) }
            return .scalar(try escaped())
        case "(":
            if next == "?" { throw error("I-Regexp (RFC 9485) does not support '(?…)' groups") }
            groupCount += 1
            let number = groupCount
            let contents = try group(openedAt: start)
            // Only the first group is recorded.
            return number > 1 ? contents : .capture(number, contents)
        case "*", "+", "?", "{": throw error("nothing to repeat before '\(scalar)'", at: start)
        case "]", "}": throw error("a literal '\(scalar)' must be escaped as '\\\(scalar)'", at: start)
        default: return .scalar(scalar.value)
        }
    }

    /// Parses the code point of an escape, after its backslash.
    private mutating func escaped() throws(RegularExpressionError) -> UInt32 {
        let start = position - 1
        guard let scalar = next else { throw error("expected a character after '\\'", at: start) }
        position += 1
        switch scalar {
        case "n": return 0x0A
        case "r": return 0x0D
        case "t": return 0x09
        case "(", ")", "*", "+", "-", ".", "?", "[", "\\", "]", "^", "{", "|", "}": return scalar.value
        case "d": throw error("I-Regexp (RFC 9485) does not support '\\d': write [0-9]", at: start)
        case "w": throw error("I-Regexp (RFC 9485) does not support '\\w': write [A-Za-z0-9_]", at: start)
        case "s": throw error("I-Regexp (RFC 9485) does not support '\\s': write [ \\t\\r\\n]", at: start)
        case "$": throw error("I-Regexp (RFC 9485) does not support '\\$': write [$]", at: start)
        default: throw error("I-Regexp (RFC 9485) does not support '\\\(scalar)'", at: start)
        }
    }

    /// Parses `p{Lu}` or `P{Lu}`, after its backslash; `nil` for any other escape.
    private mutating func category() throws(RegularExpressionError) -> CharacterClass? {
        let start = position - 1
        let isNegated = next == "P"
        guard take("p") || take("P") else { return nil }
        guard take("{"), let end = scalars[position...].firstIndex(of: "}") else {
            throw error("expected a category such as \\p{Lu}", at: start)
        }
        let name = String(String.UnicodeScalarView(scalars[position..<end]))
        guard let property = UnicodeProperty(shortCategory: name) else {
            throw error("unknown category in RFC 9485; for letters, write \\p{L}, for digits, \\p{Nd}", at: start)
        }
        position = end + 1
        return CharacterClass(property, isNegated: isNegated)
    }

    private mutating func characterClass(openedAt start: Int) throws(RegularExpressionError) -> CharacterClass {
        let isNegated = take("^")
        var ranges: [ClosedRange<UInt32>] = []
        var subsets: [CharacterClass] = []
        let dash: ClosedRange<UInt32> = 0x2D...0x2D
        if next == "]" { throw error("a class cannot be empty", at: start) }
        if take("-") { ranges.append(dash) }
        while !take("]") {
            if take("-]") {
                ranges.append(dash)
                break
            }
            let rangeStart = position
            guard let low = try member(&subsets, classAt: start) else { continue }
            guard next == "-", scalars[(position + 1)...].first != "]" else {
                ranges.append(low...low)
                continue
            }
            position += 1
            guard let high = try member(&subsets, classAt: start), low <= high else {
                throw error("the ends of the range are in the wrong order", at: rangeStart)
            }
            ranges.append(low...high)
        }
        return CharacterClass(ranges, subsets, isNegated: isNegated)
    }

    /// Parses one member of a class: a code point, or `nil` for a category that has been added.
    private mutating func member(
        _ subsets: inout [CharacterClass],
        classAt start: Int
    ) throws(RegularExpressionError) -> UInt32? {
        guard let scalar = next else { throw error("unclosed '['", at: start) }
        position += 1
        switch scalar {
        case "\\":
            guard let category = try category() else { return try escaped() }
            subsets.append(category)
            return nil
        case "[", "-": throw error("inside a class, '\(scalar)' must be escaped as '\\\(scalar)'", at: position - 1)
        default: return scalar.value
        }
    }
}
