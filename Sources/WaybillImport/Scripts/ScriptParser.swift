/// Parses the statements of a script. A statement that it cannot read becomes one of the kind `unread`, up to its end.
struct ScriptParser {
    private struct Failure: Error {}

    private let tokens: [ScriptLexer.Token]
    /// The parentheses whose contents are the parameters of an arrow function.
    private let arrows: Set<Int>
    private var position = 0
    private var depth = 0

    /// The maximum nesting of expressions and statements.
    private static let maximumDepth = 100

    /// Returns the statements of a script.
    static func statements(of lexer: ScriptLexer) -> [ScriptStatement] {
        var parser = ScriptParser(tokens: lexer.tokens)
        return parser.statements(until: nil)
    }

    private init(tokens: [ScriptLexer.Token]) {
        self.tokens = tokens
        var (arrows, open): (Set<Int>, [Int]) = ([], [])
        for (index, token) in tokens.enumerated() {
            if token.kind == .mark("(") { open.append(index) }
            guard token.kind == .mark(")"), let start = open.popLast() else { continue }
            if tokens[index + 1].kind == .mark("=>") { arrows.insert(start) }
        }
        self.arrows = arrows
    }

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
            return ScriptStatement(kind: .unread, range: first..<max(first, end))
        }
    }

    private mutating func statementKind() throws(Failure) -> ScriptStatement.Kind {
        if skip(";") { return .empty }
        if isNext("{") { return .block(try functionBody()) }
        if let declaration = try declaration() {
            try finish()
            return declaration
        }
        if skip("if") {
            try require("(")
            let condition = try expression()
            try require(")")
            let then = body()
            return .conditional(condition, then: then, otherwise: skip("else") ? body() : [])
        }
        if skip("try") {
            let attempt = body()
            var handler: [ScriptStatement] = []
            if skip("catch") {
                if skip("(") {
                    _ = try primary()
                    try require(")")
                }
                handler = body()
            }
            if skip("finally") { return .other([attempt, handler, body()].map { Self.part(.block($0)) }) }
            return .attempt(attempt, handler: handler)
        }
        if skip("return") {
            let value: ScriptExpression = isNext("}") || isNext(";") ? .name("undefined") : try expression()
            try finish()
            return .returning(value)
        }
        if let parts = try parts() { return .other(parts) }
        let value = try expression()
        try finish()
        return .expression(value)
    }

    /// Reads `let name = value, …`, and in a loop `const name of value`; nil for another statement.
    private mutating func declaration() throws(Failure) -> ScriptStatement.Kind? {
        let isVar = isNext("var")
        guard skip("var") || skip("let") || skip("const") else { return nil }
        var declarations: [ScriptStatement.Declaration] = []
        repeat {
            let target = try primary()
            let hasValue = skip("=") || skip("of") || skip("in")
            declarations.append(.init(target: target, value: hasValue ? try assignment() : nil))
        } while skip(",")
        return .declaration(declarations, isVar: isVar)
    }

    private static func part(_ kind: ScriptStatement.Kind) -> ScriptStatement {
        ScriptStatement(kind: kind, range: 0..<0)
    }

    /// Reads the parts of a loop, a choice, a function or a `throw`; nil for another statement.
    private mutating func parts() throws(Failure) -> [ScriptStatement]? {
        if skip("break") || skip("continue") {
            try finish()
            return []
        }
        if skip("throw") {
            let value = try expression()
            try finish()
            return [Self.part(.expression(value))]
        }
        if skip("do") {
            let body = body()
            return skip("while") ? [Self.part(.expression(try primary()))] + body : body
        }
        if skip("while") { return [Self.part(.expression(try primary()))] + body() }
        if skip("for") {
            _ = skip("await")
            try require("(")
            var parts: [ScriptStatement] = []
            while !skip(")") {
                if skip(";") { continue }
                if let declaration = try declaration() {
                    parts.append(Self.part(declaration))
                    continue
                }
                let value = try expression()
                // `for (name in value)` and `for (name of values)` assign, too.
                if case .binary("in", let target, let object) = value {
                    parts.append(Self.part(.expression(.assignment("=", target, object))))
                } else if skip("of") {
                    parts.append(Self.part(.expression(.assignment("=", value, try expression()))))
                } else {
                    parts.append(Self.part(.expression(value)))
                }
            }
            return parts + body()
        }
        if skip("switch") {
            var parts = [Self.part(.expression(try primary()))]
            try require("{")
            while !skip("}") {
                if kind == .end { throw Failure() }
                if skip("case") {
                    parts.append(Self.part(.expression(try expression())))
                    try require(":")
                } else if skip("default") {
                    try require(":")
                } else {
                    parts.append(statement())
                }
            }
            return parts
        }
        let isAsync = isNext("async") && tokens[position + 1].kind == .name("function")
        guard isAsync || isNext("function") else { return nil }
        if isAsync { advance() }
        advance()
        _ = skip("*")
        let name = try name()
        let function = try function()
        return [Self.part(.declaration([.init(target: .name(name), value: function)]))]
    }

    /// Reads the parameters and the body of a function.
    private mutating func function() throws(Failure) -> ScriptExpression {
        try require("(")
        let parameters = try elements(until: ")")
        return .function(parameters: parameters, body: try functionBody())
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
        "<=": 8, ">=": 8, "in": 8, "instanceof": 8, "<<": 9, ">>": 9, ">>>": 9, "+": 10, "-": 10, "*": 11, "/": 11,
        "%": 11, "**": 12,
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
        // Comparisons have been read before.
        guard case .mark(let mark) = kind, mark.hasSuffix("=") else { return target }
        advance()
        return .assignment(mark, target, try assignment())
    }

    /// Reads `(a, b) => …` or `a => …`.
    private mutating func arrow() throws(Failure) -> ScriptExpression? {
        let next = isNext("async") ? position + 1 : position
        var parameters: [ScriptExpression] = []
        if case .name(let name) = tokens[next].kind, next + 1 < tokens.count, tokens[next + 1].kind == .mark("=>") {
            parameters = [.name(name)]
            position = next + 1
        } else if arrows.contains(next) {
            position = next + 1
            parameters = try elements(until: ")")
        } else {
            return nil
        }
        try require("=>")
        if isNext("{") { return .function(parameters: parameters, body: try functionBody()) }
        let first = tokens[position].range.lowerBound
        let value = try assignment()
        let range = first..<max(first, tokens[position - 1].range.upperBound)
        return .function(parameters: parameters, body: [ScriptStatement(kind: .returning(value), range: range)])
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
        if case .name(let name) = kind, ["typeof", "void", "delete", "await", "yield"].contains(name) {
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
            if isNext(",") {
                elements.append(.name("undefined"))
            } else {
                elements.append(skip("...") ? .unary("...", try assignment()) : try assignment())
            }
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
            _ = skip("*")
            if case .name = kind { advance() }
            return try function()
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
            let token = kind
            advance()
            switch token {
            case .mark("..."): members.append(("", .unary("...", try assignment())))
            case .mark("["):
                let name = try assignment()
                try require("]")
                try require(":")
                members.append(("", .unary("[]", .array([name, try assignment()]))))
            case .name(let name), .string(let name), .number(let name):
                // Also `name = value`, a member of a pattern with a default.
                let (hasValue, hasDefault) = (skip(":"), skip("="))
                members.append((name, hasValue || hasDefault ? try assignment() : .name(name)))
                if hasDefault, !hasValue, let last = members.popLast() {
                    members.append((name, .assignment("=", .name(name), last.1)))
                }
            default: throw Failure()
            }
            if !skip(",") { break }
        }
        try require("}")
        return .object(members)
    }
}
