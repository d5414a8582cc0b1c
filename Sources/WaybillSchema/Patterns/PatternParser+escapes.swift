extension PatternParser {
    /// An escape outside a class, after its backslash.
    mutating func escape() throws(ECMAScriptPatternError) -> PatternSyntax {
        if let reference = try backreference() { return reference }
        if let set = try setEscape() { return .set(set) }
        return .scalar(try scalarEscape())
    }

    /// A class `[…]`, after its opening bracket.
    mutating func characterClass() throws(ECMAScriptPatternError) -> CharacterClass {
        let start = position
        var set = CharacterClass()
        set.isNegated = take("^")
        while !take("]") {
            guard position < scalars.count else {
                position = start - 1
                throw error("'[' without ']'")
            }
            let low = try classAtom(&set)
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                if let low { set.insert(low...low) }
                continue
            }
            position += 1
            let high = try classAtom(&set)
            guard let low, let high else { throw error("a range must be between two characters") }
            guard low <= high else { throw error("the range's ends are in the wrong order") }
            set.insert(low...high)
        }
        return set
    }

    /// One member of a class: a scalar, or `nil` for a set that has been added.
    private mutating func classAtom(_ set: inout CharacterClass) throws(ECMAScriptPatternError) -> UInt32? {
        guard take("\\") else {
            guard let scalar = next else { throw error("'[' without ']'") }
            position += 1
            return scalar.value
        }
        if let found = try setEscape() {
            set.formUnion(found)
            return nil
        }
        if take("b") { return 0x08 }
        return try scalarEscape()
    }

    /// `\d`, `\w`, `\s`, `\p{…}` and their opposites; `nil` for anything else.
    private mutating func setEscape() throws(ECMAScriptPatternError) -> CharacterClass? {
        guard let scalar = next else { throw error("a backslash at the end") }
        position += 1
        switch scalar {
        case "d": return .digits
        case "D": return .digits.negated
        case "w": return .wordCharacters
        case "W": return .wordCharacters.negated
        case "s": return .whitespace
        case "S": return .whitespace.negated
        case "p", "P":
            var name = String.UnicodeScalarView()
            if take("{") {
                while let scalar = next, scalar != "}" {
                    name.append(scalar)
                    position += 1
                }
            }
            guard let property = UnicodeProperty(named: String(name)), take("}") else {
                throw error("'\(String(name))' is not a known Unicode property")
            }
            var set = CharacterClass()
            set.insert(property, isNegated: scalar == "P")
            return set
        default:
            position -= 1
            return nil
        }
    }

    /// An escape that means one scalar, after its backslash.
    private mutating func scalarEscape() throws(ECMAScriptPatternError) -> UInt32 {
        guard let scalar = next else { throw error("a backslash at the end") }
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
                throw error("'\\c' must go on with a letter")
            }
            position += 1
            return letter.value % 32
        case "x":
            guard let value = hexadecimal(2) else { throw error("'\\x' must go on with two hexadecimal digits") }
            return value
        case "u":
            return try unicodeEscape()
        default:
            guard scalar.isASCII, !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
                position -= 1
                throw error("'\\\(scalar)' is not a known escape")
            }
            return scalar.value
        }
    }

    /// `\u1234`, a pair of surrogates, or `\u{…}`, after the `u`.
    private mutating func unicodeEscape() throws(ECMAScriptPatternError) -> UInt32 {
        if take("{") {
            var value: UInt32 = 0
            var digits = 0
            while let digit = hexadecimal(1) {
                value = min(value * 16 + digit, 0x11_0000)
                digits += 1
            }
            guard digits > 0, value < 0x11_0000, take("}") else {
                throw error("'\\u{' must go on with a code point and '}'")
            }
            return value
        }
        guard let first = hexadecimal(4) else { throw error("'\\u' must go on with four hexadecimal digits") }
        let start = position
        if (0xD800...0xDBFF).contains(first), take("\\u"), let second = hexadecimal(4) {
            if (0xDC00...0xDFFF).contains(second) { return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00) }
        }
        if (0xD800...0xDBFF).contains(first) { position = start }
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
