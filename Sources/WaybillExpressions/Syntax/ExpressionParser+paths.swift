/// Paths: a root and its segments (RFC 9535, sections 2.2 to 2.5).
extension ExpressionParser {
    /// Parses a path that starts with `$` or `@`.
    mutating func query() throws(ExpressionSyntaxError) -> QuerySyntax {
        let start = position
        let isCurrent = next == UInt8(ascii: "@")
        position += 1
        let rootRange = start..<position
        if isCurrent, openFilters == 0 {
            throw error("'@' is available only inside a filter [?…]", at: rootRange, help: "The current value is '$'.")
        }
        if next == UInt8(ascii: "{") {
            throw error(
                "'${…}' is not valid inside an expression",
                at: start..<start + 2,
                help: "Remove '${' and '}'."
            )
        }
        if Self.isNameStart(next) {
            let sign = isCurrent ? "@" : "$"
            throw error(
                "a name cannot directly follow '\(sign)'",
                help: "A member of the current value is '\(sign).name'; a name of the scope has no '\(sign)'."
            )
        }
        return QuerySyntax(root: isCurrent ? .current : .document, rootRange: rootRange, segments: try segments())
    }

    /// Parses all segments that follow.
    mutating func segments() throws(ExpressionSyntaxError) -> [SegmentSyntax] {
        var segments: [SegmentSyntax] = []
        while true {
            let end = position
            skipSpace()
            switch next {
            case UInt8(ascii: "["): segments.append(try bracketed(from: position, isDescendant: false))
            case UInt8(ascii: "."): segments.append(try dotted())
            default:
                position = end
                return segments
            }
        }
    }

    private mutating func dotted() throws(ExpressionSyntaxError) -> SegmentSyntax {
        let start = position
        position += 1
        let isDescendant = skip(".")
        if isDescendant, next == UInt8(ascii: "[") { return try bracketed(from: start, isDescendant: true) }
        let selectorStart = position
        let kind: Selector<ExpressionSyntax>
        if skip("*") {
            kind = .wildcard
        } else if Self.isNameStart(next) {
            kind = .name(name())
        } else if Self.isDigit(next) {
            throw error("a name cannot start with a digit", help: "Write an index as [0], and such a name as ['1a'].")
        } else if next == UInt8(ascii: "[") {
            throw error("'[' cannot follow '.'", at: start..<position + 1)
        } else {
            throw error(
                "expected a name after '.'",
                at: start..<position,
                help: "Write a name with other characters as ['a b']."
            )
        }
        let selector = SelectorSyntax(kind: kind, range: selectorStart..<position)
        return SegmentSyntax(selectors: [selector], isDescendant: isDescendant, range: start..<position)
    }

    private mutating func bracketed(
        from start: Int,
        isDescendant: Bool
    ) throws(ExpressionSyntaxError) -> SegmentSyntax {
        let bracket = position
        position += 1
        try openBracket()
        var selectors: [SelectorSyntax] = []
        repeat {
            skipSpace()
            selectors.append(try selector())
            skipSpace()
        } while skip(",")
        try close("]", openedAt: bracket)
        return SegmentSyntax(selectors: selectors, isDescendant: isDescendant, range: start..<position)
    }

    private mutating func selector() throws(ExpressionSyntaxError) -> SelectorSyntax {
        let start = position
        let kind: Selector<ExpressionSyntax>
        switch next {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): kind = .name(try stringLiteral())
        case UInt8(ascii: "*"):
            position += 1
            kind = .wildcard
        case UInt8(ascii: "?"):
            position += 1
            skipSpace()
            openFilters += 1
            kind = .filter(try expression())
            openFilters -= 1
        case UInt8(ascii: ":"): kind = try slice(from: nil)
        case let byte where byte == UInt8(ascii: "-") || Self.isDigit(byte):
            let index = try indexLiteral()
            let end = position
            skipSpace()
            if next == UInt8(ascii: ":") {
                kind = try slice(from: index)
            } else {
                position = end
                kind = .index(index)
            }
        case let byte where Self.isNameStart(byte):
            let name = name()
            throw error(
                "a name in brackets must be quoted",
                at: start..<position,
                help: "Write ['\(name)']; to look up by a computed value, use a filter: [?@.id == \(name)]."
            )
        case UInt8(ascii: "("), UInt8(ascii: "@"), UInt8(ascii: "$"):
            throw error("a filter must start with '?'", help: "Write [?@.price > 10].")
        case nil: throw error("unclosed '['")
        default: throw error("expected a name, an index, a slice, '*' or a filter")
        }
        return SelectorSyntax(kind: kind, range: start..<position)
    }

    /// Parses the rest of `start:end:step`, from the first colon on.
    private mutating func slice(from start: Int?) throws(ExpressionSyntaxError) -> Selector<ExpressionSyntax> {
        position += 1
        let end = try sliceBound()
        var step: Int?
        let afterEnd = position
        skipSpace()
        if skip(":") {
            step = try sliceBound()
        } else {
            position = afterEnd
        }
        return .slice(start: start, end: end, step: step ?? 1)
    }

    private mutating func sliceBound() throws(ExpressionSyntaxError) -> Int? {
        let before = position
        skipSpace()
        if next == UInt8(ascii: "-") || Self.isDigit(next) { return try indexLiteral() }
        position = before
        return nil
    }
}
