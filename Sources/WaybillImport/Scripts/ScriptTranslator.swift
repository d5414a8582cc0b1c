import WaybillDiagnostics
import WaybillJSON

/// Translates the statements that nearly all scripts of Postman consist of. Nothing is executed.
struct ScriptTranslator {
    private let script: SourceFile
    /// Whether the script runs after the response.
    let isTest: Bool
    var result = ScriptTranslation()
    /// The values of the script's own variables.
    var locals: [String: ScriptValue] = [:]
    /// The conditions that the current statement depends on.
    private(set) var guards: [ImportedText] = []
    /// Whether all of them are that the status is 2xx, for which outputs are evaluated anyway.
    private var areGuardsOfSuccess = true
    /// The variables that existed before these conditions.
    private var unguarded: Set<String> = []
    /// Those whose values are not known, because they change in the middle of expressions.
    private var changing: Set<String> = []

    /// The maximum size of a script in bytes.
    private static let maximumSize = 256 << 10

    /// Translates a script.
    static func translate(_ script: String, isTest: Bool) -> ScriptTranslation {
        guard script.utf8.count <= maximumSize else {
            var result = ScriptTranslation()
            let reason = "a script of more than \(maximumSize >> 10) KiB is not read"
            result.losses = [.init(statement: String(script.prefix(100)), reason: reason, offset: 0, line: 0)]
            return result
        }
        var translator = ScriptTranslator(script: script, isTest: isTest)
        let lexer = ScriptLexer(script)
        let statements = ScriptParser.statements(of: lexer)
        translator.changing = lexer.variablesThatChangeInside
        for statement in statements { translator.translate(statement, message: nil) }
        translator.removeUnusedDeclarations(lexer)
        for (comment, _) in lexer.comments {
            let lines = comment.split(whereSeparator: \.isNewline).map {
                $0.trimmingPrefix { $0 == " " || $0 == "*" || $0 == "\t" }
            }
            translator.result.comments += lines.filter { !$0.isEmpty }.map(String.init)
        }
        return translator.result
    }

    private init(script: String, isTest: Bool) {
        self.script = SourceFile(name: "script", text: script)
        self.isTest = isTest
    }

    /// Makes comments of declarations that were not translated, if nothing uses their variables.
    private mutating func removeUnusedDeclarations(_ lexer: ScriptLexer) {
        // The names in the script that are not in such a declaration, with their offsets.
        var uses: [String: Set<Int>] = [:]
        for token in lexer.tokens {
            if case .name(let name) = token.kind { uses[name, default: []].insert(token.range.lowerBound) }
        }
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for (index, loss) in result.losses.enumerated().reversed() {
                let range = loss.offset..<(loss.offset + loss.statement.utf8.count)
                guard !loss.declared.isEmpty, !loss.statement.contains("pm.") || loss.statement.contains("pm.response"),
                    !loss.statement.contains("bru."), !loss.statement.contains("req.")
                else { continue }
                guard !loss.declared.contains(where: { uses[$0]?.contains { !range.contains($0) } ?? false }) else {
                    continue
                }
                result.comments += loss.statement.split(whereSeparator: \.isNewline).map(String.init)
                result.losses.remove(at: index)
                for token in ScriptLexer(loss.statement).tokens {
                    if case .name(let name) = token.kind {
                        uses[name]?.remove(range.lowerBound + token.range.lowerBound)
                    }
                }
                hasChanged = true
            }
        }
    }

    private func text(of statement: ScriptStatement) -> String {
        String(decoding: script.bytes[statement.range], as: UTF8.self)
    }

    // MARK: Statements

    /// Translates a statement. What cannot be translated is a loss.
    private mutating func translate(_ statement: ScriptStatement, message: String?) {
        do throws(Untranslatable) {
            switch statement.kind {
            case .empty: break
            case .block(let statements): translate(block: statements, message)
            case .declaration(let declarations): for declaration in declarations { try declare(declaration) }
            case .expression(let expression): try translate(expression, message, statement)
            case .conditional(let condition, let then, let otherwise):
                try translate(condition, then, otherwise, message)
            case .attempt(let body, let handler):
                guard handler.allSatisfy({ Self.isHarmless($0) }) else {
                    throw Untranslatable("the handler of an error has effects")
                }
                translate(block: body, message)
            case .other: throw Untranslatable(Self.reason(for: text(of: statement)))
            }
        } catch {
            var text = self.text(of: statement)
            while let last = text.unicodeScalars.last, last == ";" || last == "\n" || last == " " {
                text.unicodeScalars.removeLast()
            }
            let offset = statement.range.lowerBound
            let line = script.line(at: offset) - 1
            var loss = ScriptTranslation.Loss(statement: text, reason: error.reason, offset: offset, line: line)
            if case .declaration(let declarations) = statement.kind { loss.declared = Set(declarations.map(\.name)) }
            result.losses.append(loss)
        }
    }

    /// Translates a block. A variable that it declares anew may be another one of this name, or the same.
    private mutating func translate(block statements: [ScriptStatement], _ message: String?) {
        let outer = Set(locals.keys)
        for statement in statements { translate(statement, message: message) }
        for name in Self.declarations(in: statements) where outer.contains(name) { locals[name] = Self.unknown(name) }
    }

    /// The names of the variables that statements declare.
    private static func declarations(in statements: [ScriptStatement]) -> [String] {
        statements.flatMap { statement in
            switch statement.kind {
            case .declaration(let declarations): declarations.map(\.name)
            case .block(let inner): Self.declarations(in: inner)
            case .conditional(_, let then, let otherwise): Self.declarations(in: then + otherwise)
            case .attempt(let body, let handler): Self.declarations(in: body + handler)
            default: [String]()
            }
        }
    }

    private static func reason(for text: String) -> String {
        switch text.prefix(while: { $0.isLetter }) {
        case "for", "while", "do": "a loop of a script has no counterpart; a step has 'forEach'"
        case "function", "class", "async": "functions are not imported"
        default: "this statement is not one of those that are translated"
        }
    }

    private mutating func declare(_ declaration: ScriptStatement.Declaration) throws(Untranslatable) {
        guard let expression = declaration.value else {
            locals[declaration.name] =
                changing.contains(declaration.name) ? Self.unknown(declaration.name) : .null
            return
        }
        if case .function = expression {
            locals[declaration.name] = .untranslated("functions are not imported")
            throw Untranslatable("functions are not imported")
        }
        try assign(expression, to: declaration.name)
    }

    private mutating func assign(_ expression: ScriptExpression, to name: String) throws(Untranslatable) {
        guard areGuardsOfSuccess || !unguarded.contains(name) else {
            locals[name] = Self.unknown(name)
            throw Untranslatable("it assigns a variable under a condition")
        }
        do throws(Untranslatable) {
            let value = try value(of: expression)
            locals[name] = changing.contains(name) ? Self.unknown(name) : value
        } catch {
            locals[name] = .untranslated("it uses '\(name)', which is not imported")
            throw error
        }
    }

    private static func unknown(_ name: String) -> ScriptValue {
        .untranslated("it uses '\(name)', which changes under a condition or inside an expression")
    }

    /// Translates an expression that is a statement.
    private mutating func translate(
        _ expression: ScriptExpression,
        _ message: String?,
        _ statement: ScriptStatement
    ) throws(Untranslatable) {
        switch expression {
        case .string, .name: return
        case .unary("await", let call): return try translate(call, message, statement)
        case .assignment("=", .name(let name), let value): return try assign(value, to: name)
        case .assignment("=", let target, let value):
            guard let label = try testName(target) else { throw Untranslatable("it changes an object") }
            return try addCheck(of: value, message: label)
        case .call(let function, let arguments):
            if let path = path(of: function), try translateCall(path, arguments, message, statement) { return }
        default: break
        }
        if let chain = ExpectationChain(expression) { return try add(chain, message: message) }
        throw Untranslatable("this statement is not one of those that are translated")
    }

    /// The name in `tests["name"]`; nil for anything else.
    private func testName(_ target: ScriptExpression) throws(Untranslatable) -> String? {
        switch target {
        case .index(.name("tests"), let name):
            switch try value(of: name) {
            case .string(let text): text
            case .number(let text): text
            default: ""
            }
        case .member(.name("tests"), let name): name
        default: nil
        }
    }

    /// Translates a call of a known function; false for another one.
    private mutating func translateCall(
        _ path: String,
        _ arguments: [ScriptExpression],
        _ message: String?,
        _ statement: ScriptStatement
    ) throws(Untranslatable) -> Bool {
        switch path {
        case "pm.test":
            guard arguments.count == 2, case .function(_, let body) = arguments[1] else { return false }
            let name: String? = if case .string(let text) = arguments[0] { text } else { nil }
            let outer = locals
            for statement in body { translate(statement, message: name) }
            for name in Self.declarations(in: body) { locals[name] = outer[name] }
        case "client.assert":
            guard let condition = arguments.first else { return false }
            let label = try values(of: Array(arguments.dropFirst().prefix(1))).first
            let text: String? = if case .string(let text)? = label { text } else { message }
            try addCheck(of: condition, message: text ?? "")
        case "pm.environment.set", "pm.globals.set", "pm.collectionVariables.set", "pm.variables.set",
            "postman.setEnvironmentVariable", "postman.setGlobalVariable":
            guard arguments.count >= 2, case .string(let name) = try value(of: arguments[0]) else {
                throw Untranslatable("the name of the variable is computed")
            }
            guard ![.name("null"), .name("undefined")].contains(arguments[1]) else {
                forget(arguments[0])
                result.comments.append(Self.oneLine(text(of: statement)))
                break
            }
            try set(name, to: arguments[1])
        case "pm.test.skip", "pm.environment.unset", "pm.globals.unset", "pm.collectionVariables.unset",
            "pm.variables.unset", "postman.clearEnvironmentVariable", "postman.clearGlobalVariable",
            "pm.environment.clear", "pm.globals.clear", "postman.clearEnvironmentVariables",
            _ where path.hasPrefix("console."):
            // The variables of a manifest exist for one run.
            if !path.hasPrefix("console."), path != "pm.test.skip" { forget(arguments.first) }
            result.comments.append(Self.oneLine(text(of: statement)))
        case "postman.setNextRequest", "pm.setNextRequest", "pm.execution.setNextRequest":
            guard arguments == [.name("null")], guards.isEmpty else {
                throw Untranslatable("the order of steps is fixed; 'when' skips a step, and 'until' repeats one")
            }
            result.endsRun = true
        case "bru.runner.stopExecution" where guards.isEmpty && isTest: result.endsRun = true
        default: return false
        }
        return true
    }

    /// Makes the value of a variable of the collection unknown, or those of all, because the script removes them.
    private mutating func forget(_ name: ScriptExpression?) {
        let name = name.flatMap { try? value(of: $0) }
        for key in locals.keys where key.hasPrefix("$") {
            if case .string(let name)? = name, key.dropFirst() != name { continue }
            locals[key] = .untranslated("it uses '\(key.dropFirst())', which is removed before")
        }
    }

    private mutating func set(_ name: String, to expression: ScriptExpression) throws(Untranslatable) {
        guard areGuardsOfSuccess || guards.isEmpty else { throw Untranslatable("it sets a variable under a condition") }
        let value = try value(of: expression)
        if isTest {
            result.captures.append(ImportedCapture(name, try code(value)))
        } else {
            let text = try template(value)
            let code = text.parts.compactMap { if case .expression(let code) = $0 { code } else { nil } }.joined()
            guard !code.contains("$"), !code.contains("response.") else {
                throw Untranslatable("the request has no response at this time")
            }
            result.assignments.append((name, text))
        }
        // Later statements of the script read the new value.
        locals["$\(name)"] = value
    }

    private mutating func translate(
        _ condition: ScriptExpression,
        _ then: [ScriptStatement],
        _ otherwise: [ScriptStatement],
        _ message: String?
    ) throws(Untranslatable) {
        guard otherwise.allSatisfy({ Self.isHarmless($0) }) else { throw Untranslatable("it has two branches") }
        if case .assignment("=", let target, let value) = condition, let label = try testName(target) {
            // The condition is a test itself: if it fails, the step does.
            try addCheck(of: value, message: label)
            for statement in then { translate(statement, message: message) }
            return
        }
        let test = try self.condition(condition)
        let (outer, wasOfSuccess, before) = (guards, areGuardsOfSuccess, unguarded)
        areGuardsOfSuccess = areGuardsOfSuccess && Self.isSuccess(test)
        unguarded.formUnion(locals.keys)
        guards.append(test)
        translate(block: then, message)
        (guards, areGuardsOfSuccess, unguarded) = (outer, wasOfSuccess, before)
    }

    private static func isSuccess(_ condition: ImportedText) -> Bool {
        guard let text = condition.literal, text.hasPrefix("response.status == 2") else { return false }
        return text.utf8.count == "response.status == 200".utf8.count
    }

    /// Whether a statement only writes to the console, or does nothing.
    private static func isHarmless(_ statement: ScriptStatement) -> Bool {
        switch statement.kind {
        case .empty: true
        case .block(let statements): statements.allSatisfy(isHarmless)
        case .expression(.call(.member(.name("console"), _), _)): true
        case .expression(.name), .expression(.string): true
        // A test that fails in any case, where the response has another form.
        case .expression(.assignment("=", .index(.name("tests"), _), .name("false"))): true
        default: false
        }
    }

    static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    // MARK: Checks

    /// Adds the check that an expression is true, as in `tests["name"] = expression`.
    private mutating func addCheck(of expression: ScriptExpression, message: String) throws(Untranslatable) {
        switch expression {
        case .binary("&&", _, _):
            let parts = Self.operands(of: expression, "&&")
            for (index, part) in parts.enumerated() {
                // `a && a.b` checks a.b: it has no value if a has none.
                if case .data(let path)? = try? value(of: part),
                    parts[(index + 1)...].contains(where: { (try? condition($0))?.literal?.contains(path) ?? false })
                {
                    continue
                }
                try addCheck(of: part, message: message)
            }
            return
        case .binary("||", _, _), .binary("===", _, _), .binary("==", _, _):
            let parts = Self.operands(of: expression, "||")
            let codes = parts.compactMap { status(in: $0) }
            if codes.count == parts.count { return try add(.status(codes)) }
        case .name("true"):
            // A test that cannot fail.
            result.comments.append("\(message): always true")
            return
        default: break
        }
        let text = try condition(expression)
        // The whole body is there if the rest can be read.
        if text.literal == "true" { return }
        try add(.condition(text, message: message.isEmpty ? nil : message))
    }

    /// The operands of `&&` or `||`.
    private static func operands(of expression: ScriptExpression, _ mark: String) -> [ScriptExpression] {
        guard case .binary(mark, let left, let right) = expression else { return [expression] }
        return operands(of: left, mark) + operands(of: right, mark)
    }

    /// The status in `response.status === 200`.
    private func status(in expression: ScriptExpression) -> String? {
        guard case .binary(let mark, let left, let right) = expression, mark == "===" || mark == "==",
            case .code(let code, _)? = try? value(of: left), code.literal == "response.status",
            case .number(let number)? = try? value(of: right)
        else { return nil }
        return number
    }

    /// Whether a condition without a response is `true`, or that a value equals itself.
    static func holds(constant code: String) -> Bool {
        let sides = code.split(separator: " == ")
        return code == "true" || sides.count == 2 && sides[0].utf8.elementsEqual(sides[1].utf8)
    }

    /// Adds a check, which the current conditions limit.
    mutating func add(_ check: ImportedCheck) throws(Untranslatable) {
        if case .condition(let text, _) = check, let code = text.literal, !code.contains("$"),
            !code.contains("response.")
        {
            guard Self.holds(constant: code) else {
                throw Untranslatable("it is a test of constants, which does not hold")
            }
            result.comments.append("A test of constants: \(code)")
            return
        }
        if guards.isEmpty { return result.checks.append(check) }
        var code: ImportedText
        var message: String?
        switch check {
        case .status(let codes):
            if areGuardsOfSuccess { return }
            code = ImportedText(ImportedCheck.condition(status: codes))
        case .header(let name, let glob):
            code = "response.headers[\(ManifestWriter.quoted(name))] == \(ManifestWriter.quoted(glob))"
        case .condition(let text, let label): (code, message) = (text, label)
        case .maxTime(let time): code = "response.time <= \(time)"
        case .equals: return result.checks.append(check)
        }
        let text: ImportedText = "!(\(guards.joined(separator: " && "))) || \(code)"
        result.checks.append(.condition(text, message: message))
    }
}
