/// Parses the statements of a script. A statement that it cannot read becomes one of the kind `other`, up to its end.
struct ScriptParser {
    private struct Failure: Error {}

    private let tokens: [ScriptLexer.Token]
    private var position = 0
    private var depth = 0

    /// The maximum nesting of expressions and statements.
    private static let maximumDepth = 100

    /// Returns the statements of a script.
    static func statements(of lexer: ScriptLexer) -> [ScriptStatement] {
        var parser = ScriptParser(tokens: lexer.tokens)
        return parser.statements(until: nil)
    }

    private init(tokens: [ScriptLexer.Token]) { self.tokens = tokens }

    // MARK: Tokens

    private var kind: ScriptLexer.Token.Kind { tokens[position].kind }

    /// Whether the next token is a mark or a keyword.
    private func isNext(_ word: String) -> Bool { kind == .mark(word) || kind == .name(word) }

    private mutating func advance() { if position < tokens.count - 1 { position += 1 } }

    private mutating func skip(_ word: String) -> Bool {
        guard isNext(word) else { return false }
        advance()
        return true
    }

    private mutating func require(_ mark: String) throws(Failure) { if !skip(mark) { throw Failure() } }

    private mutating func name() throws(Failure) -> String {
        guard case .name(let name) = kind else { throw Failure() }
        advance()
        return name
    }

    // MARK: Statements

    private mutating func statements(until mark: String?) -> [ScriptStatement] {
        var result: [ScriptStatement] = []
        while kind != .end {
            if let mark, isNext(mark) { break }
            result.append(statement())
        }
        return result
    }

    private mutating func statement() -> ScriptStatement {
        let start = position
        let first = tokens[position].range.lowerBound
        depth += 1
        defer { depth -= 1 }
        do throws(Failure) {
            guard depth < Self.maximumDepth else { throw Failure() }
            let kind = try statementKind()
            let end = position > start ? tokens[position - 1].range.upperBound : first
            return ScriptStatement(kind: kind, range: first..<max(first, end))
        } catch {
            position = start
            skipStatement()
            // A bracket that closes nothing.
            if position == start { advance() }
            let end = position > start ? tokens[position - 1].range.upperBound : tokens[start].range.upperBound
            return ScriptStatement(kind: .other, range: first..<max(first, end))
        }
    }

    private mutating func statementKind() throws(Failure) -> ScriptStatement.Kind {
        if skip(";") { return .empty }
        if isNext("{") { return .block(try functionBody()) }
        if skip("var") || skip("let") || skip("const") {
            var declarations: [ScriptStatement.Declaration] = []
            repeat {
                let name = try name()
                declarations.append(.init(name: name, value: skip("=") ? try assignment() : nil))
            } while skip(",")
            try finish()
            return .declaration(declarations)
        }
        if skip("if") {
            try require("(")
            let condition = try expression()
            try require(")")
            let then = body()
            var otherwise: [ScriptStatement] = []
            if skip("else") {
                otherwise = body()
            }
            return .conditional(condition, then: then, otherwise: otherwise)
        }
        if skip("try") {
            let attempt = body()
            var handler: [ScriptStatement] = []
            if skip("catch") {
                if skip("(") {
                    _ = try name()
                    try require(")")
                }
                handler = body()
            }
            if isNext("finally") { throw Failure() }
            return .attempt(attempt, handler: handler)
        }
        if skip("return") {
            let value: ScriptExpression = isNext("}") || isNext(";") ? .name("undefined") : try expression()
            try finish()
            return .expression(value)
        }
        let unread: Set<String> = [
            "for", "while", "do", "switch", "function", "class", "throw", "async", "import", "export", "break",
            "continue",
        ]
        if case .name(let name) = kind, unread.contains(name) { throw Failure() }
        let value = try expression()
        try finish()
        return .expression(value)
    }

    /// The statements of a block, or the one statement without braces.
    private mutating func body() -> [ScriptStatement] {
        let statement = statement()
        if case .block(let statements) = statement.kind { return statements }
        return [statement]
    }

    /// The end of a statement: a semicolon, a line break, or a bracket.
    private mutating func finish() throws(Failure) {
        if skip(";") || kind == .end || isNext("}") || tokens[position].startsLine { return }
        throw Failure()
    }

    /// Skips a statement that cannot be read, with all that its brackets contain.
    private mutating func skipStatement() {
        var open = 0
        repeat {
            if case .mark(let mark) = kind {
                if "([{".contains(mark) { open += 1 }
                if ")]}".contains(mark) {
                    if open == 0, mark == "}" { return }
                    open -= 1
                    if open <= 0, mark == "}" {
                        advance()
                        // The other parts of an if, a try or a loop.
                        if isNext("else") || isNext("catch") || isNext("finally") || isNext("while") { continue }
                        _ = skip(";")
                        return
                    }
                }
                if mark == ";", open <= 0 { return advance() }
            }
            advance()
            if open <= 0, tokens[position].startsLine, !isContinuation { return }
        } while kind != .end
    }

    /// Whether a line continues the statement before it.
    private var isContinuation: Bool {
        guard case .mark(let mark) = kind else { return false }
        return [".", "?.", "(", "[", "+", "-", "*", "/", "&&", "||", "?", ":", ",", "=", "{", ")", "]"].contains(mark)
    }

    // MARK: Expressions

    private static let precedences: [String: Int] = [
        "??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "===": 7, "!==": 7, "<": 8, ">": 8,
        "<=": 8, ">=": 8, "in": 8,
        "instanceof": 8, "<<": 9, ">>": 9, ">>>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "**": 12,
    ]

    private mutating func expression() throws(Failure) -> ScriptExpression {
        var result = try assignment()
        while skip(",") { result = .binary(",", result, try assignment()) }
        return result
    }

    private mutating func assignment() throws(Failure) -> ScriptExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.maximumDepth else { throw Failure() }
        if let function = try arrow() { return function }
        let target = try conditional()
        guard case .mark(let mark) = kind, ["=", "+=", "-=", "*=", "/=", "||=", "&&=", "??="].contains(mark) else {
            return target
        }
        advance()
        return .assignment(mark, target, try assignment())
    }

    /// Reads `(a, b) => …` or `a => …`.
    private mutating func arrow() throws(Failure) -> ScriptExpression? {
        let start = position
        var parameters: [String] = []
        _ = skip("async")
        if case .name(let name) = kind, position + 1 < tokens.count, tokens[position + 1].kind == .mark("=>") {
            parameters = [name]
            advance()
        } else if skip("(") {
            parameters = names()
            guard skip(")"), isNext("=>") else {
                position = start
                return nil
            }
        } else {
            position = start
            return nil
        }
        try require("=>")
        if isNext("{") { return .function(parameters: parameters, body: try functionBody()) }
        let first = tokens[position].range.lowerBound
        let value = try assignment()
        let range = first..<max(first, tokens[position - 1].range.upperBound)
        return .function(parameters: parameters, body: [ScriptStatement(kind: .expression(value), range: range)])
    }

    /// The names up to one without a comma after it.
    private mutating func names() -> [String] {
        var names: [String] = []
        while case .name(let name) = kind {
            names.append(name)
            advance()
            if !skip(",") { break }
        }
        return names
    }

    private mutating func functionBody() throws(Failure) -> [ScriptStatement] {
        try require("{")
        let body = statements(until: "}")
        try require("}")
        return body
    }

    private mutating func conditional() throws(Failure) -> ScriptExpression {
        let condition = try binary(0)
        guard skip("?") else { return condition }
        let first = try assignment()
        try require(":")
        return .conditional(condition, first, try assignment())
    }

    private mutating func binary(_ minimum: Int) throws(Failure) -> ScriptExpression {
        var left = try unary()
        var count = 0
        while true {
            count += 1
            guard count < Self.maximumDepth else { throw Failure() }
            let mark: String
            switch kind {
            case .mark(let text): mark = text
            case .name("in"): mark = "in"
            case .name("instanceof"): mark = "instanceof"
            default: return left
            }
            guard let precedence = Self.precedences[mark], precedence > minimum else { return left }
            advance()
            left = .binary(mark, left, try binary(precedence))
        }
    }

    private mutating func unary() throws(Failure) -> ScriptExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.maximumDepth else { throw Failure() }
        if case .mark(let mark) = kind, ["!", "-", "+", "~", "++", "--"].contains(mark) {
            advance()
            return .unary(mark, try unary())
        }
        if case .name(let name) = kind, ["typeof", "void", "delete", "await"].contains(name) {
            advance()
            return .unary(name, try unary())
        }
        var value = try postfix()
        if (isNext("++") || isNext("--")) && !tokens[position].startsLine {
            value = .unary(isNext("++") ? "++" : "--", value)
            advance()
        }
        return value
    }

    private mutating func postfix() throws(Failure) -> ScriptExpression {
        var value = try primary()
        var count = 0
        while true {
            count += 1
            guard count < Self.maximumDepth else { throw Failure() }
            if skip(".") || skip("?.") {
                if isNext("[") || isNext("(") { continue }
                value = .member(value, try name())
            } else if skip("[") {
                value = .index(value, try expression())
                try require("]")
            } else if skip("(") {
                value = .call(value, try elements(until: ")"))
            } else {
                return value
            }
        }
    }

    /// The values between brackets, the first of which has been read.
    private mutating func elements(until mark: String) throws(Failure) -> [ScriptExpression] {
        var elements: [ScriptExpression] = []
        while !isNext(mark) {
            elements.append(try assignment())
            if !skip(",") { break }
        }
        try require(mark)
        return elements
    }

    private mutating func primary() throws(Failure) -> ScriptExpression {
        let token = kind
        advance()
        switch token {
        case .string(let text): return .string(text)
        case .number(let text): return .number(text)
        case .regex(let pattern, let flags): return .regex(pattern, flags: flags)
        case .template(let strings, let scripts):
            var values: [ScriptExpression] = []
            for script in scripts {
                var parser = ScriptParser(tokens: ScriptLexer(script).tokens)
                parser.depth = depth + 1
                values.append(try parser.expression())
            }
            return .template(strings, values)
        case .name("async") where isNext("function"): return try primary()
        case .name("function"):
            if case .name = kind { advance() }
            try require("(")
            let parameters = names()
            try require(")")
            return .function(parameters: parameters, body: try functionBody())
        case .name("new"):
            var type = try primary()
            while skip(".") { type = .member(type, try name()) }
            return .new(skip("(") ? .call(type, try elements(until: ")")) : type)
        case .name(let name): return .name(name)
        case .mark("("):
            let value = try expression()
            try require(")")
            return value
        case .mark("["): return .array(try elements(until: "]"))
        case .mark("{"): return try object()
        default: throw Failure()
        }
    }

    private mutating func object() throws(Failure) -> ScriptExpression {
        var members: [(String, ScriptExpression)] = []
        while !isNext("}") {
            let name: String
            switch kind {
            case .name(let text), .string(let text), .number(let text): name = text
            default: throw Failure()
            }
            advance()
            members.append((name, skip(":") ? try assignment() : .name(name)))
            if !skip(",") { break }
        }
        try require("}")
        return .object(members)
    }
}
