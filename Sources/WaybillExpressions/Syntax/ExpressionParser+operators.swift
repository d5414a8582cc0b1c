import WaybillJSON

/// Operators and operands, by precedence: `||`, `&&`, comparisons, `+ -`, `* / %`, `!`.
extension ExpressionParser {
    private enum Operator {
        case logical(LogicalOperator)
        case comparison(ComparisonOperator)
        case arithmetic(ArithmeticOperator)

        var precedence: Int {
            switch self {
            case .logical(.or): 1
            case .logical(.and): 2
            case .comparison: 3
            case .arithmetic(.plus), .arithmetic(.minus): 4
            case .arithmetic: 5
            }
        }

        var length: Int {
            switch self {
            case .logical(let sign): sign.rawValue.utf8.count
            case .comparison(let sign): sign.rawValue.utf8.count
            case .arithmetic(let sign): sign.rawValue.utf8.count
            }
        }
    }

    /// Parses an expression; the space before it has been skipped.
    mutating func expression(
        minimum: Int = 1
    ) throws(ExpressionSyntaxError) -> ExpressionSyntax {
        var left = try unary()
        while true {
            let end = position
            skipSpace()
            guard let sign = try nextOperator(hasSpaceBefore: position > end), sign.precedence >= minimum else {
                position = end
                return left
            }
            let signRange = position..<position + sign.length
            if case .comparison = sign, case .comparison = left.kind {
                throw error("comparisons cannot be chained", at: signRange, help: "Combine two comparisons with '&&'.")
            }
            position = signRange.upperBound
            skipSpace()
            let right = try expression(minimum: sign.precedence + 1)
            try join(&left, sign, right)
        }
    }

    private func join(
        _ left: inout ExpressionSyntax,
        _ sign: Operator,
        _ right: ExpressionSyntax
    ) throws(ExpressionSyntaxError) {
        let range = left.range.lowerBound..<right.range.upperBound
        switch sign {
        case .logical(let sign):
            // Long conditions stay flat, whatever their number of parts.
            if case .logical(sign, var parts) = left.kind {
                left.kind = .literal(.null)  // so that the parts are not copied
                parts.append(right)
                left = try checked(.logical(sign, parts), range, depth: max(left.depth, right.depth + 1))
            } else {
                left = try nested(.logical(sign, [left, right]), range, around: [left, right])
            }
        case .comparison(let sign): left = try nested(.comparison(sign, left, right), range, around: [left, right])
        case .arithmetic(let sign): left = try nested(.arithmetic(sign, left, right), range, around: [left, right])
        }
    }

    /// Returns a node that contains others, or an error if it is nested too deeply.
    func nested(
        _ kind: ExpressionSyntax.Kind,
        _ range: Range<Int>,
        around inner: [ExpressionSyntax] = []
    ) throws(ExpressionSyntaxError) -> ExpressionSyntax {
        try checked(kind, range, depth: 1 + (inner.map(\.depth).max() ?? 0))
    }

    private func checked(
        _ kind: ExpressionSyntax.Kind,
        _ range: Range<Int>,
        depth: Int
    ) throws(ExpressionSyntaxError) -> ExpressionSyntax {
        if depth > Self.maximumDepth { throw error("the expression is nested too deeply", at: range) }
        return ExpressionSyntax(kind: kind, range: range, depth: depth)
    }

    private mutating func unary() throws(ExpressionSyntaxError) -> ExpressionSyntax {
        guard next == UInt8(ascii: "!"), byte(after: 1) != UInt8(ascii: "=") else { return try operand() }
        let start = position
        position += 1
        skipSpace()
        try openBracket()
        let inside = try unary()
        openBrackets -= 1
        return try nested(.not(inside), start..<inside.range.upperBound, around: [inside])
    }

    /// Counts a level of recursion.
    mutating func openBracket() throws(ExpressionSyntaxError) {
        openBrackets += 1
        if openBrackets > Self.maximumDepth { throw error("the expression is nested too deeply") }
    }

    private func nextOperator(hasSpaceBefore: Bool) throws(ExpressionSyntaxError) -> Operator? {
        if startsWith("||") { return .logical(.or) }
        if startsWith("&&") { return .logical(.and) }
        if startsWith("===") || startsWith("!==") {
            throw error("this is not an operator", at: position..<position + 3, help: "Write '==' or '!='.")
        }
        if startsWith("==") { return .comparison(.equal) }
        if startsWith("!=") { return .comparison(.notEqual) }
        if startsWith("<>") {
            throw error("this is not an operator", at: position..<position + 2, help: "Write '!='.")
        }
        if startsWith("<=") { return .comparison(.lessOrEqual) }
        if startsWith(">=") { return .comparison(.greaterOrEqual) }
        switch next {
        case UInt8(ascii: "<"): return .comparison(.less)
        case UInt8(ascii: ">"): return .comparison(.greater)
        case UInt8(ascii: "="):
            if byte(after: 1) == UInt8(ascii: "~") {
                throw error("this is not an operator", at: position..<position + 2, help: "Write search(x, 'pattern').")
            }
            throw error("'=' is not an operator", help: "To compare, write '=='.")
        case UInt8(ascii: "|"):
            throw error("'|' is not an operator", help: "For 'or', write '||'. To call a function, write name(x).")
        case UInt8(ascii: "&"): throw error("'&' is not an operator", help: "For 'and', write '&&'.")
        case UInt8(ascii: "?"):
            throw error("'?' is not an operator", help: "Write a filter in brackets: $.items[?@.price > 10].")
        default: return try nextWordOrArithmetic(hasSpaceBefore: hasSpaceBefore)
        }
    }

    private func nextWordOrArithmetic(hasSpaceBefore: Bool) throws(ExpressionSyntaxError) -> Operator? {
        guard let next else { return nil }
        if hasSpaceBefore, Self.isNameStart(next) { try refuseWord() }
        guard dialect == .waybill, let sign = ArithmeticOperator(byte: next) else { return nil }
        let hasSpaceAfter = byte(after: 1).map(Self.isSpace) ?? true
        if !hasSpaceBefore || !hasSpaceAfter {
            let why = next == UInt8(ascii: "-") ? ", because a name may contain '-'" : ""
            throw error("'\(sign.rawValue)' needs a space on both sides", help: "Write 'a \(sign.rawValue) b'\(why).")
        }
        return .arithmetic(sign)
    }

    /// Reports `and` and `or`, which other languages use.
    private func refuseWord() throws(ExpressionSyntaxError) {
        for (word, sign) in [("and", "&&"), ("or", "||"), ("AND", "&&"), ("OR", "||")] {
            let range = position..<position + word.utf8.count
            if range.upperBound <= bytes.endIndex, bytes[range].elementsEqual(word.utf8),
                !Self.isNameByte(byte(after: word.utf8.count))
            {
                throw error("'\(word)' is not an operator", at: range, help: "Write '\(sign)'.")
            }
        }
    }

    /// Returns the error for text after a complete expression.
    func trailingText() -> ExpressionSyntaxError {
        let rest = position..<bytes.endIndex
        switch next {
        case UInt8(ascii: ")"): return error("unmatched ')'")
        case UInt8(ascii: "]"): return error("unmatched ']'")
        case UInt8(ascii: "}"): return error("unmatched '}'")
        case UInt8(ascii: ","):
            return error("expected a single expression", at: rest, help: "',' is allowed only between arguments.")
        default: return error("expected the end of the expression", at: rest, help: helpOnTrailingText)
        }
    }

    /// A hint about what was probably meant by words in a row: `not x`, or a string.
    private var helpOnTrailingText: String? {
        let text = String(decoding: bytes, as: UTF8.self)
        if text.hasPrefix("not ") { return "Write not(x) or !x." }
        guard let first = bytes.first, Self.isNameStart(first) else { return nil }
        let isPlain = !text.contains { "'\"\\".contains($0) }
        return "Inside an expression, a string needs quotes, such as \"'\(isPlain ? text : "a text")'\"."
    }
}
