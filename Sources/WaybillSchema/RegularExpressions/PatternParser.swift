/// Parses the parts of regular expressions that the dialects share. Their atoms and classes are in separate files.
struct PatternParser {
    /// The maximum nesting of groups; the parser is recursive.
    private static let maximumDepth = 200
    /// The maximum count in a quantifier.
    private static let maximumCount = 1_000_000

    let dialect: RegularExpression.Dialect
    let scalars: [Unicode.Scalar]
    var position = 0
    var groupCount = 0
    var hasBackreferences = false
    private(set) var hasLazyQuantifiers = false
    private var depth = 0
    /// The groups of the whole pattern, to which ECMAScript's backreferences may refer before they are parsed.
    lazy var allGroups = Self.groups(in: scalars)

    init(_ source: String, _ dialect: RegularExpression.Dialect) {
        self.dialect = dialect
        scalars = Array(source.unicodeScalars)
    }

    mutating func parse() throws(RegularExpressionError) -> PatternSyntax {
        let syntax = try alternatives()
        guard position == scalars.count else { throw error("unmatched ')'") }
        return syntax
    }

    // MARK: Structure

    private mutating func alternatives() throws(RegularExpressionError) -> PatternSyntax {
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .alternatives(branches)
    }

    private mutating func sequence() throws(RegularExpressionError) -> PatternSyntax {
        var terms: [PatternSyntax] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let groups = groupCount
            let term = try quantified(try term(), groupsBefore: groups)
            if !term.isEmpty { terms.append(term) }
        }
        return terms.count == 1 ? terms[0] : .sequence(terms)
    }

    private mutating func term() throws(RegularExpressionError) -> PatternSyntax {
        if take("^") { return .start }
        if take("$") { return .end }
        return switch dialect {
        case .ecmaScript: try ecmaScriptTerm()
        case .iRegexp: try iRegexpTerm()
        }
    }

    /// Parses the contents of a group up to its closing parenthesis. The opening one is at `start`.
    mutating func group(openedAt start: Int) throws(RegularExpressionError) -> PatternSyntax {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw error("groups are nested too deeply", at: start) }
        let syntax = try alternatives()
        guard take(")") else { throw error("unclosed '('", at: start) }
        return syntax
    }

    // MARK: Quantifiers

    private mutating func quantified(
        _ term: PatternSyntax,
        groupsBefore: Int
    ) throws(RegularExpressionError) -> PatternSyntax {
        guard let (least, most) = try quantifier() else { return term }
        var isGreedy = true
        switch dialect {
        case .ecmaScript:
            if term.isAssertion { throw error("nothing to repeat before the quantifier") }
            isGreedy = !take("?")
        case .iRegexp:
            isGreedy = !take("?")
            if !isGreedy { hasLazyQuantifiers = true }
            if let scalar = next, "*+?{".unicodeScalars.contains(scalar) {
                throw error("a quantifier cannot be repeated")
            }
        }
        if term.isEmpty || most == 0 { return .sequence([]) }
        let captures = groupsBefore + 1..<groupCount + 1
        return .repetition(term, least: least, most: most, isGreedy: isGreedy, captures: captures)
    }

    private mutating func quantifier() throws(RegularExpressionError) -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        let start = position
        guard take("{") else { return nil }
        if let least = count() {
            var most: Int? = least
            if take(",") { most = count() }
            if take("}") {
                if max(least, most ?? 0) > Self.maximumCount { throw error("the count is too large", at: start + 1) }
                if let most, most < least { throw error("the counts are in the wrong order", at: start) }
                return (least, most)
            }
        }
        position = start
        // In ECMAScript, as browsers implement it, a brace that does not start a count is a literal.
        if dialect == .iRegexp { throw error("expected a count such as {2}, {2,} or {2,5}", at: start) }
        return nil
    }

    /// Parses digits as a number, which stops growing above the maximum.
    private mutating func count() -> Int? {
        var value: Int?
        while let scalar = next, ("0"..."9").contains(scalar) {
            value = min((value ?? 0) * 10 + Int(scalar.value - 0x30), Self.maximumCount + 1)
            position += 1
        }
        return value
    }

    // MARK: Cursor

    var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    mutating func take(_ text: String) -> Bool {
        guard scalars[position...].starts(with: text.unicodeScalars) else { return false }
        position += text.unicodeScalars.count
        return true
    }

    func error(_ message: String, at offset: Int? = nil) -> RegularExpressionError {
        RegularExpressionError(message: message, offset: offset ?? position)
    }
}
