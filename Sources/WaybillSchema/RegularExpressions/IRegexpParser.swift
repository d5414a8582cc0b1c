/// Reads an I-Regexp by the grammar of RFC 9485, section 3.
///
/// `^` and `$` outside a class stand for the beginning and the end of the text, as the mappings of section 5 make them.
struct IRegexpParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var groups = 0
    private var depth = 0

    /// The greatest nesting of groups; the parser is recursive.
    private static let maximumDepth = 100
    /// The greatest number of bytes of a pattern, which may come from the data.
    private static let maximumLength = 65_536

    private init(_ pattern: String) {
        scalars = Array(pattern.unicodeScalars)
    }

    /// The parts of a pattern.
    static func parse(_ pattern: String) throws(IRegexpSyntaxError) -> IRegexpSyntax {
        if pattern.utf8.count > maximumLength {
            throw IRegexpSyntaxError(message: "a pattern may have \(maximumLength) bytes", offset: 0)
        }
        var parser = IRegexpParser(pattern)
        let syntax = try parser.choice()
        if parser.position < parser.scalars.count { throw parser.error("this ')' closes nothing") }
        return syntax
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private func error(_ message: String, at offset: Int? = nil) -> IRegexpSyntaxError {
        IRegexpSyntaxError(message: message, offset: offset ?? position)
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private mutating func choice() throws(IRegexpSyntaxError) -> IRegexpSyntax {
        var branches = [try branch()]
        while skip("|") { branches.append(try branch()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func branch() throws(IRegexpSyntaxError) -> IRegexpSyntax {
        var pieces: [IRegexpSyntax] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let piece = try quantified(try atom(scalar))
            if !piece.isEmpty { pieces.append(piece) }
        }
        return pieces.count == 1 ? pieces[0] : .sequence(pieces)
    }

    private mutating func atom(_ scalar: Unicode.Scalar) throws(IRegexpSyntaxError) -> IRegexpSyntax {
        let start = position
        position += 1
        switch scalar {
        case ".": return .set(.dot)
        case "^": return .start
        case "$": return .end
        case "[": return .set(try characterClass(openedAt: start))
        case "\\":
            if next == "p" || next == "P" {
                var set = ScalarSet()
                try category(into: &set)
                return .set(set)
            }
            return .scalar(try escaped())
        case "(":
            if next == "?" { throw error("I-Regexp (RFC 9485) has no '(?…)' groups") }
            depth += 1
            if depth > Self.maximumDepth { throw error("groups are nested too deeply", at: start) }
            groups += 1
            let number = groups
            let inside = try choice()
            if !skip(")") { throw error("this '(' is never closed", at: start) }
            depth -= 1
            return number > 1 && inside.isEmpty ? inside : .group(number, inside)
        case "*", "+", "?", "{": throw error("there is nothing before '\(scalar)' to repeat", at: start)
        case "]", "}": throw error("'\(scalar)' stands for itself only as '\\\(scalar)'", at: start)
        default: return .scalar(scalar)
        }
    }

    private mutating func quantified(_ atom: IRegexpSyntax) throws(IRegexpSyntaxError) -> IRegexpSyntax {
        let result: IRegexpSyntax
        if skip("*") {
            result = .repetition(atom, least: 0, most: nil)
        } else if skip("+") {
            result = .repetition(atom, least: 1, most: nil)
        } else if skip("?") {
            result = .repetition(atom, least: 0, most: 1)
        } else if next == "{" {
            result = try counted(atom)
        } else {
            return atom
        }
        if let scalar = next, "*+?{".unicodeScalars.contains(scalar) {
            throw error("I-Regexp (RFC 9485) has one quantifier for each part, and no lazy ones")
        }
        return result
    }

    private mutating func counted(_ atom: IRegexpSyntax) throws(IRegexpSyntaxError) -> IRegexpSyntax {
        let start = position
        position += 1
        let least = try count()
        var most: Int? = least
        if skip(",") { most = next == "}" ? nil : try count() }
        if !skip("}") { throw error("a count is written {2}, {2,} or {2,5}", at: start) }
        if let most, most < least { throw error("the counts of this repetition are the wrong way round", at: start) }
        return atom.isEmpty || most == 0 ? .sequence([]) : .repetition(atom, least: least, most: most)
    }

    private mutating func count() throws(IRegexpSyntaxError) -> Int {
        let start = position
        var value = 0
        while let digit = next, ("0"..."9").contains(digit) {
            position += 1
            value = value * 10 + Int(digit.value - 48)
            if value > IRegexpProgram.maximumSize { throw error("this count is too large", at: start) }
        }
        if position == start { throw error("a count is written {2}, {2,} or {2,5}") }
        return value
    }

    /// The code point that `\x` stands for; the backslash is already behind.
    private mutating func escaped() throws(IRegexpSyntaxError) -> Unicode.Scalar {
        guard let scalar = next else { throw error("there is nothing after this '\\'", at: position - 1) }
        switch scalar {
        case "n", "r", "t":
            position += 1
            return scalar == "n" ? "\n" : scalar == "r" ? "\r" : "\t"
        case "(", ")", "*", "+", "-", ".", "?", "[", "\\", "]", "^", "{", "|", "}":
            position += 1
            return scalar
        case "d": throw error("I-Regexp (RFC 9485) has no '\\d': write [0-9]", at: position - 1)
        case "w": throw error("I-Regexp (RFC 9485) has no '\\w': write [A-Za-z0-9_]", at: position - 1)
        case "s": throw error("I-Regexp (RFC 9485) has no '\\s': write [ \\t\\r\\n]", at: position - 1)
        case "$": throw error("I-Regexp (RFC 9485) has no '\\$': write [$]", at: position - 1)
        default: throw error("I-Regexp (RFC 9485) has no '\\\(scalar)'", at: position - 1)
        }
    }

    /// `p{Lu}` or `P{Lu}`; the backslash is already behind.
    private mutating func category(into set: inout ScalarSet) throws(IRegexpSyntaxError) {
        let start = position - 1
        let complement = next == "P"
        position += 1
        guard skip("{"), let end = scalars[position...].firstIndex(of: "}") else {
            throw error("a category is written \\p{Lu}", at: start)
        }
        let name = String(String.UnicodeScalarView(scalars[position..<min(end, position + 3)]))
        guard set.insert(category: name, complement: complement) else {
            throw error("RFC 9485 knows no category of this name; letters are \\p{L}, digits \\p{Nd}", at: start)
        }
        position = end + 1
    }

    private mutating func characterClass(openedAt start: Int) throws(IRegexpSyntaxError) -> ScalarSet {
        var set = ScalarSet()
        let isNegated = skip("^")
        var isFirst = true
        while true {
            guard let scalar = next else { throw error("this '[' is never closed", at: start) }
            if scalar == "]" {
                if isFirst { throw error("a class must not be empty", at: start) }
                position += 1
                break
            }
            if scalar == "-" {
                position += 1
                if !isFirst, next != "]" { throw error("inside a class '-' is written '\\-'", at: position - 1) }
                set.insert("-"..."-")
            } else if scalar == "\\", position + 1 < scalars.count, "pP".unicodeScalars.contains(scalars[position + 1])
            {
                position += 1
                try category(into: &set)
            } else {
                try classRange(into: &set)
            }
            isFirst = false
        }
        set.isNegated = isNegated
        set.joinRanges()
        return set
    }

    private mutating func classRange(into set: inout ScalarSet) throws(IRegexpSyntaxError) {
        let start = position
        let low = try classScalar()
        guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
            return set.insert(low...low)
        }
        position += 1
        let high = try classScalar()
        if high < low { throw error("the ends of this range are the wrong way round", at: start) }
        set.insert(low...high)
    }

    private mutating func classScalar() throws(IRegexpSyntaxError) -> Unicode.Scalar {
        guard let scalar = next else { throw error("this class is never closed") }
        position += 1
        switch scalar {
        case "\\": return try escaped()
        case "[", "-": throw error("inside a class '\(scalar)' is written '\\\(scalar)'", at: position - 1)
        default: return scalar
        }
    }
}
