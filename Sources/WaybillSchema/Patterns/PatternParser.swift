/// Reads the grammar of ECMA-262, section 22.2.1, with the `u` flag.
///
/// As in most engines, and harmlessly, any ASCII punctuation may stand after a backslash, and a brace or closing bracket
/// that ends nothing stands for itself.
struct PatternParser {
    private static let greatestDepth = 200

    var scalars: [Unicode.Scalar]
    var position = 0
    private(set) var groupCount = 0
    private(set) var hasBackreferences = false
    private var depth = 0
    private var groupNames: [String: Int] = [:]
    private let allGroups: (count: Int, names: [String: Int])

    init(_ source: String) {
        scalars = Array(source.unicodeScalars)
        allGroups = Self.groups(in: scalars)
    }

    mutating func parse() throws(ECMAScriptPatternError) -> PatternSyntax {
        let syntax = try alternatives()
        guard position == scalars.count else { throw error("')' without '('") }
        return syntax
    }

    var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    mutating func take(_ text: String) -> Bool {
        guard scalars[position...].starts(with: text.unicodeScalars) else { return false }
        position += text.unicodeScalars.count
        return true
    }

    func error(_ message: String) -> ECMAScriptPatternError {
        ECMAScriptPatternError(message: "\(message), at character \(position + 1)")
    }

    private mutating func alternatives() throws(ECMAScriptPatternError) -> PatternSyntax {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.greatestDepth else { throw error("groups are nested too deeply") }
        var branches: [PatternSyntax] = []
        repeat { branches.append(try sequence()) } while take("|")
        return branches.count == 1 ? branches[0] : .alternatives(branches)
    }

    private mutating func sequence() throws(ECMAScriptPatternError) -> PatternSyntax {
        var terms: [PatternSyntax] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let before = groupCount
            let (term, isRepeatable) = try term()
            guard let (least, most) = try quantifier() else {
                terms.append(term)
                continue
            }
            guard isRepeatable else { throw error("nothing that can be repeated stands before the quantifier") }
            let captures = before + 1..<groupCount + 1
            terms.append(
                .repetition(term, least: least, most: most, isGreedy: !take("?"), captures: captures)
            )
        }
        return terms.count == 1 ? terms[0] : .sequence(terms)
    }

    private mutating func term() throws(ECMAScriptPatternError) -> (syntax: PatternSyntax, isRepeatable: Bool) {
        if take("^") { return (.start, false) }
        if take("$") { return (.end, false) }
        if take("\\b") { return (.wordBoundary(isNegated: false), false) }
        if take("\\B") { return (.wordBoundary(isNegated: true), false) }
        if take(".") { return (.set(.dot), true) }
        if take("[") { return (.set(try characterClass()), true) }
        if take("(") { return try group() }
        if take("\\") { return (try escape(), true) }
        guard let scalar = next, !["*", "+", "?"].contains(scalar) else {
            throw error("a quantifier with nothing before it")
        }
        position += 1
        return (.scalar(scalar.value), true)
    }

    private mutating func group() throws(ECMAScriptPatternError) -> (syntax: PatternSyntax, isRepeatable: Bool) {
        let start = position
        var isRepeatable = false
        let syntax: PatternSyntax
        if take("?=") {
            syntax = .look(try alternatives(), isBehind: false, isNegated: false)
        } else if take("?!") {
            syntax = .look(try alternatives(), isBehind: false, isNegated: true)
        } else if take("?<=") {
            syntax = .look(try alternatives(), isBehind: true, isNegated: false)
        } else if take("?<!") {
            syntax = .look(try alternatives(), isBehind: true, isNegated: true)
        } else if take("?:") {
            syntax = try alternatives()
            isRepeatable = true
        } else {
            var name: String?
            if take("?<") {
                name = try groupName()
            } else if next == "?" {
                throw error("'(?' must go on with ':', '=', '!', '<=', '<!' or '<NAME>'")
            }
            groupCount += 1
            let number = groupCount
            if let name, groupNames.updateValue(number, forKey: name) != nil {
                throw error("the group name '\(name)' is used twice")
            }
            syntax = .capture(number, try alternatives())
            isRepeatable = true
        }
        guard take(")") else {
            position = max(0, start - 1)
            throw error("'(' without ')'")
        }
        return (syntax, isRepeatable)
    }

    private mutating func groupName() throws(ECMAScriptPatternError) -> String {
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

    private mutating func quantifier() throws(ECMAScriptPatternError) -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        let start = position
        guard take("{"), let least = number() else {
            position = start
            return nil
        }
        var most: Int? = least
        if take(",") { most = number() }
        guard take("}") else {
            position = start
            return nil
        }
        if let most, most < least { throw error("the quantifier's bounds are in the wrong order") }
        return (least, most)
    }

    /// Digits, as a number that stays in bounds; larger ones make the pattern too large anyway.
    mutating func number() -> Int? {
        var value: Int?
        while let scalar = next, ("0"..."9").contains(scalar) {
            value = min((value ?? 0) * 10 + Int(scalar.value - 0x30), 1_000_000)
            position += 1
        }
        return value
    }
}

// MARK: - Back references

extension PatternParser {
    /// `\1` or `\k<name>`, after the backslash; the group may come later in the pattern.
    mutating func backreference() throws(ECMAScriptPatternError) -> PatternSyntax? {
        let start = position
        if take("k") {
            guard take("<") else { throw error("'\\k' must go on with '<NAME>'") }
            let name = try groupName()
            guard let number = allGroups.names[name] else { throw error("no group is named '\(name)'") }
            hasBackreferences = true
            return .backreference(number)
        }
        guard next != "0", let number = number() else { return nil }
        guard number <= allGroups.count else {
            position = start
            throw error("there is no group \(number)")
        }
        hasBackreferences = true
        return .backreference(number)
    }

    /// Counts the capturing groups ahead of parsing.
    private static func groups(in scalars: [Unicode.Scalar]) -> (count: Int, names: [String: Int]) {
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
                    var name = String.UnicodeScalarView()
                    name.append(contentsOf: rest.dropFirst(2).prefix { $0 != ">" })
                    names[String(name)] = count
                } else if rest.first != "?" {
                    count += 1
                }
            default: break
            }
            index += 1
        }
        return (count, names)
    }
}
