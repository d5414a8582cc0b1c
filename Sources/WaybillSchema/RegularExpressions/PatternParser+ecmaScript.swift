/// Atoms and classes of ECMA-262, section 22.2.1, with the `u` flag.
///
/// As in most engines, any ASCII punctuation may follow a backslash, an unmatched brace or closing bracket is a literal, and
/// so is a hyphen after or before a set such as `\w` in a class (annex B.1.2). None of it is harmful.
extension PatternParser {
    mutating func ecmaScriptTerm() throws(RegularExpressionError) -> PatternSyntax {
        if take("\\b") { return .wordBoundary(isNegated: false) }
        if take("\\B") { return .wordBoundary(isNegated: true) }
        if take(".") { return .set(.dot) }
        if take("[") { return .set(try characterClass()) }
        if take("(") { return try group() }
        if take("\\") { return try escape() }
        guard let scalar = next, !["*", "+", "?"].contains(scalar) else {
            throw error("nothing to repeat before the quantifier")
        }
        position += 1
        return .scalar(scalar.value)
    }

    // MARK: Groups

    private mutating func group() throws(RegularExpressionError) -> PatternSyntax {
        let start = position - 1
        if take("?:") {
            let contents = try group(openedAt: start)
            // Unlike a bare assertion, a group may be repeated.
            return contents.isAssertion ? .sequence([contents]) : contents
        }
        if take("?=") { return .lookAround(try group(openedAt: start), isBackward: false, isNegated: false) }
        if take("?!") { return .lookAround(try group(openedAt: start), isBackward: false, isNegated: true) }
        if take("?<=") { return .lookAround(try group(openedAt: start), isBackward: true, isNegated: false) }
        if take("?<!") { return .lookAround(try group(openedAt: start), isBackward: true, isNegated: true) }
        groupCount += 1
        let number = groupCount
        if take("?<") {
            let name = try groupName()
            if allGroups.names[name] != number { throw error("the group name '\(name)' is used twice") }
        } else if next == "?" {
            throw error("'(?' must be followed by ':', '=', '!', '<=', '<!' or '<NAME>'")
        }
        return .capture(number, try group(openedAt: start))
    }

    private mutating func groupName() throws(RegularExpressionError) -> String {
        var name = String.UnicodeScalarView()
        while let scalar = next, scalar != ">" {
            let isAllowed =
                scalar == "$" || scalar == "_"
                || (name.isEmpty ? scalar.properties.isIDStart : scalar.properties.isIDContinue)
            guard isAllowed else { throw error("a group name must be an identifier") }
            name.append(scalar)
            position += 1
        }
        guard take(">"), !name.isEmpty else { throw error("a group name must be an identifier and end with '>'") }
        return String(name)
    }

    /// Parses `\1` or `\k<name>`, after the backslash; the group may come later in the pattern.
    private mutating func backreference() throws(RegularExpressionError) -> PatternSyntax? {
        let start = position
        if take("k") {
            guard take("<") else { throw error("'\\k' must be followed by '<NAME>'") }
            let name = try groupName()
            guard let number = allGroups.names[name] else { throw error("there is no group '\(name)'") }
            hasBackreferences = true
            return .backreference(number)
        }
        let digits = scalars[position...].prefix { ("0"..."9").contains($0) }
        guard let first = digits.first, first != "0" else { return nil }
        let number = Int(String(String.UnicodeScalarView(digits))) ?? .max
        guard number <= allGroups.count else { throw error("there is no group \(number)", at: start) }
        position += digits.count
        hasBackreferences = true
        return .backreference(number)
    }

    /// Counts the capturing groups of a whole pattern. Of two groups with the same name, the last is listed.
    static func groups(in scalars: [Unicode.Scalar]) -> (count: Int, names: [String: Int]) {
        var count = 0
        var names: [String: Int] = [:]
        var isInClass = false
        var index = 0
        while index < scalars.count {
            switch scalars[index] {
            case "\\": index += 1
            case "[": isInClass = true
            case "]": isInClass = false
            case "(" where !isInClass:
                let rest = scalars[(index + 1)...]
                let isNamed = rest.starts(with: "?<".unicodeScalars)
                if isNamed, let first = rest.dropFirst(2).first, first != "=", first != "!" {
                    count += 1
                    names[String(String.UnicodeScalarView(rest.dropFirst(2).prefix { $0 != ">" && $0 != "(" }))] = count
                } else if rest.first != "?" {
                    count += 1
                }
            default: break
            }
            index += 1
        }
        return (count, names)
    }

    // MARK: Classes

    /// Parses a class `[…]`, after its opening bracket.
    private mutating func characterClass() throws(RegularExpressionError) -> CharacterClass {
        let start = position - 1
        let isNegated = take("^")
        var ranges: [ClosedRange<UInt32>] = []
        var subsets: [CharacterClass] = []
        while !take("]") {
            let low = try member(&subsets, classAt: start)
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                if let low { ranges.append(low...low) }
                continue
            }
            position += 1
            let high = try member(&subsets, classAt: start)
            guard let low, let high else {
                ranges += [low, 0x2D, high].compactMap { $0.map { $0...$0 } }
                continue
            }
            guard low <= high else { throw error("the ends of the range are in the wrong order") }
            ranges.append(low...high)
        }
        return CharacterClass(ranges, subsets, isNegated: isNegated)
    }

    /// Parses one member of a class: a scalar, or `nil` for a set that has been added.
    private mutating func member(
        _ subsets: inout [CharacterClass],
        classAt start: Int
    ) throws(RegularExpressionError) -> UInt32? {
        guard take("\\") else {
            guard let scalar = next else { throw error("unclosed '['", at: start) }
            position += 1
            return scalar.value
        }
        if let found = try setEscape() {
            subsets.append(found)
            return nil
        }
        return take("b") ? 0x08 : try scalarEscape()
    }

    // MARK: Escapes

    /// Parses an escape outside a class, after its backslash.
    private mutating func escape() throws(RegularExpressionError) -> PatternSyntax {
        if let reference = try backreference() { return reference }
        if let set = try setEscape() { return .set(set) }
        return .scalar(try scalarEscape())
    }

    /// Parses `\d`, `\w`, `\s`, `\p{…}` and their opposites; `nil` for anything else.
    private mutating func setEscape() throws(RegularExpressionError) -> CharacterClass? {
        guard let scalar = next else { throw error("expected a character after '\\'", at: position - 1) }
        position += 1
        switch scalar {
        case "d": return .digits
        case "D": return .digits.negated
        case "w": return .wordCharacters
        case "W": return .wordCharacters.negated
        case "s": return .whitespace
        case "S": return .whitespace.negated
        case "p", "P":
            var name = ""
            if take("{") {
                let scalars = scalars[position...].prefix { $0 != "}" }
                name = String(String.UnicodeScalarView(scalars))
                position += scalars.count
            }
            guard let property = UnicodeProperty(named: name), take("}") else {
                throw error("unknown Unicode property '\(name)'")
            }
            return CharacterClass(property, isNegated: scalar == "P")
        default:
            position -= 1
            return nil
        }
    }

    /// Parses an escape for one scalar, after its backslash.
    private mutating func scalarEscape() throws(RegularExpressionError) -> UInt32 {
        guard let scalar = next else { throw error("expected a character after '\\'", at: position - 1) }
        position += 1
        switch scalar {
        case "t": return 0x09
        case "n": return 0x0A
        case "v": return 0x0B
        case "f": return 0x0C
        case "r": return 0x0D
        case "0" where !("0"..."9").contains(next ?? " "): return 0
        case "c":
            guard let letter = next, letter.isASCII, letter.properties.isAlphabetic else {
                throw error("'\\c' must be followed by a letter")
            }
            position += 1
            return letter.value % 32
        case "x":
            guard let value = hexadecimal(2) else { throw error("'\\x' must be followed by two hexadecimal digits") }
            return value
        case "u":
            return try unicodeEscape()
        default:
            guard scalar.isASCII, !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
                throw error("unknown escape '\\\(scalar)'", at: position - 1)
            }
            return scalar.value
        }
    }

    /// Parses `\u1234`, a pair of surrogates, or `\u{…}`, after the `u`.
    private mutating func unicodeEscape() throws(RegularExpressionError) -> UInt32 {
        if take("{") {
            var value: UInt32 = 0
            var digits = 0
            while let digit = hexadecimal(1) {
                value = min(value * 16 + digit, 0x11_0000)
                digits += 1
            }
            guard digits > 0, value < 0x11_0000, take("}") else {
                throw error("'\\u{' must be followed by a code point and '}'")
            }
            return value
        }
        guard let first = hexadecimal(4) else { throw error("'\\u' must be followed by four hexadecimal digits") }
        guard (0xD800...0xDBFF).contains(first) else { return first }
        let start = position
        if take("\\u"), let second = hexadecimal(4), (0xDC00...0xDFFF).contains(second) {
            return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        }
        position = start
        return first
    }

    private mutating func hexadecimal(_ count: Int) -> UInt32? {
        guard position + count <= scalars.count else { return nil }
        var value: UInt32 = 0
        for scalar in scalars[position..<position + count] {
            guard scalar.properties.isASCIIHexDigit, let digit = UInt32(String(scalar), radix: 16) else { return nil }
            value = value * 16 + digit
        }
        position += count
        return value
    }
}
