import WaybillJSON

/// Operands: literals, paths, calls and parentheses.
extension ExpressionParser {
    mutating func operand() throws(ExpressionSyntaxError) -> ExpressionSyntax {
        let start = position
        switch next {
        case nil: throw error("expected a value")
        case UInt8(ascii: "("):
            position += 1
            try openBracket()
            skipSpace()
            let inside = try expression()
            try close(")", openedAt: start)
            let group = try nested(.group(inside), start..<position, around: [inside])
            return dialect == .strict ? group : try accessed(group)
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            let value = try stringLiteral()
            return try nested(.literal(.string(value)), start..<position)
        case UInt8(ascii: "-") where !Self.isDigit(byte(after: 1)):
            throw error("'-' must be followed by a number", help: "To negate a value, write '0 - x'.")
        case let byte where byte == UInt8(ascii: "-") || Self.isDigit(byte):
            let value = try numberLiteral()
            return try nested(.literal(.number(value)), start..<position)
        case UInt8(ascii: "$"), UInt8(ascii: "@"):
            let query = try query()
            return try nested(.query(query), query.range)
        case let byte where Self.isNameStart(byte): return try named()
        case UInt8(ascii: "{") where byte(after: 1) == UInt8(ascii: "{"):
            throw error(
                "'{{…}}' is not valid in an expression",
                at: start..<start + 2,
                help: "Write the path without braces, or as ${…} in a template."
            )
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            throw error(
                "objects and lists cannot be written in an expression",
                help: "Write them in YAML, as a value, or a list as list(a, b)."
            )
        case UInt8(ascii: "*"): throw error("a path cannot start with '*'", help: "To select all members, write '$.*'.")
        case UInt8(ascii: "."): throw error("a path cannot start with '.'", help: "Write '$.name'.")
        default: throw error("expected a value")
        }
    }

    /// Parses a literal word, a call, or a path that starts with a bare name.
    private mutating func named() throws(ExpressionSyntaxError) -> ExpressionSyntax {
        let start = position
        let name = name()
        let nameRange = start..<position
        if next == UInt8(ascii: "(") { return try call(name, nameRange) }
        switch name {
        case "true", "false": return try nested(.literal(.bool(name == "true")), nameRange)
        case "null": return try nested(.literal(.null), nameRange)
        default: break
        }
        let afterName = position
        skipSpace()
        if next == UInt8(ascii: "(") {
            throw error("'(' must follow the function's name without a space", at: nameRange)
        }
        position = afterName
        if dialect == .strict {
            let literal = ["true", "false", "null"].first { $0 == name.lowercased() }
            throw error("'\(name)' is not valid in a JSONPath", at: nameRange, help: literal.map { "Write '\($0)'." })
        }
        if let first = name.unicodeScalars.first, "\u{2018}\u{2019}\u{201C}\u{201D}".unicodeScalars.contains(first) {
            throw error("typographic quotes do not delimit a string", at: nameRange, help: "Write 'like this'.")
        }
        let query = QuerySyntax(root: .name(name), rootRange: nameRange, segments: try segments())
        return try nested(.query(query), query.range)
    }

    /// Parses a name; in Waybill's dialect it may contain a `-`, but not end with it.
    mutating func name() -> String {
        let start = position
        while true {
            while Self.isNameByte(next) { position += 1 }
            guard dialect == .waybill, next == UInt8(ascii: "-") else { break }
            var count = 1
            while byte(after: count) == UInt8(ascii: "-") { count += 1 }
            guard Self.isNameByte(byte(after: count)) else { break }
            position += count
        }
        return text(start..<position)
    }

    private mutating func call(
        _ name: String,
        _ nameRange: Range<Int>
    ) throws(ExpressionSyntaxError) -> ExpressionSyntax {
        let bracket = position
        position += 1
        try openBracket()
        skipSpace()
        var arguments: [ExpressionSyntax] = []
        if next != UInt8(ascii: ")") {
            while true {
                arguments.append(try expression())
                skipSpace()
                guard skip(",") else { break }
                skipSpace()
            }
        }
        try close(")", openedAt: bracket)
        let call = try nested(
            .call(name: name, nameRange: nameRange, arguments: arguments),
            nameRange.lowerBound..<position,
            around: arguments
        )
        return dialect == .strict ? call : try accessed(call)
    }

    /// Parses the path after a call or a pair of parentheses, if there is one.
    private mutating func accessed(_ base: ExpressionSyntax) throws(ExpressionSyntaxError) -> ExpressionSyntax {
        let segments = try segments()
        guard let last = segments.last else { return base }
        return try nested(.access(base, segments), base.range.lowerBound..<last.range.upperBound, around: [base])
    }

    /// Skips space and reads a closing bracket.
    mutating func close(_ bracket: Unicode.Scalar, openedAt start: Int) throws(ExpressionSyntaxError) {
        skipSpace()
        if skip(bracket) {
            openBrackets -= 1
            return
        }
        let opening = text(start..<start + 1)
        if isAtEnd { throw error("unclosed '\(opening)'", at: start..<start + 1) }
        throw error("expected '\(bracket)'", help: "It must close the '\(opening)'.")
    }
}
