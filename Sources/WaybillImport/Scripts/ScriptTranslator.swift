import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// Translates the statements that nearly all scripts of Postman consist of. Nothing is executed.
struct ScriptTranslator {
    private let script: SourceFile
    /// Whether the script runs after the response.
    let isTest: Bool
    var result = ScriptTranslation()
    /// The values of the script's own variables.
    var locals = ScriptScopes()
    /// The values of the variables of the collection that the script sets, by scope and name.
    private(set) var stored: [String: [String: ScriptValue]] = [:]
    /// The variables of the collection that it may have changed; "" for any.
    private(set) var unknownStored: Set<String> = []
    /// The conditions that the current statement depends on.
    private(set) var guards: [ImportedText] = []
    /// Whether all of them are that the status is 2xx, for which outputs are evaluated anyway.
    private var areGuardsOfSuccess = true
    /// The number of scopes outside of these conditions, and outside of a function that may have returned before.
    private var (conditional, returned) = (0, 0)
    /// The number of scopes outside of the current function, and outside of statements whose errors are caught.
    private var (function, attempted) = (0, 0)
    private let effects: ScriptEffects

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
        let lexer = ScriptLexer(script)
        let statements = ScriptParser.statements(of: lexer)
        var translator = ScriptTranslator(script: script, isTest: isTest, statements)
        translator.translate(block: statements, isFunction: true, nil)
        translator.removeUnusedDeclarations(lexer)
        for (comment, _) in lexer.comments {
            let lines = comment.split(whereSeparator: \.isNewline).map {
                $0.trimmingPrefix { $0 == " " || $0 == "*" || $0 == "\t" }
            }
            translator.result.comments += lines.filter { !$0.isEmpty }.map(String.init)
        }
        return translator.result
    }

    private init(script: String, isTest: Bool, _ statements: [ScriptStatement]) {
        self.script = SourceFile(name: "script", text: script)
        self.isTest = isTest
        effects = ScriptEffects(script: Array(script.utf8), statements)
        apply(effects.later)
    }

    /// Whether functions of the script change objects that may be parts of the body.
    private var isBodyChanging: Bool {
        !effects.later.contents.isEmpty || !effects.later.members.isSubset(of: effects.variables.own)
    }

    private mutating func applyEffects(of expression: ScriptExpression) {
        apply(effects.effects(of: ScriptStatement(kind: .expression(expression), range: 0..<0)))
    }

    /// Makes the values unknown that a part of the script changes.
    private mutating func apply(_ changes: ScriptEffects.Changes) {
        for name in changes.stored {
            unknownStored.insert(name)
            for scope in stored.keys {
                for key in stored[scope, default: [:]].keys where name == "" || key == name {
                    stored[scope]?[key] = .unknown(key)
                }
            }
        }
        let objects = changes.members.union(changes.contents)
        let names = changes.assigned.union(objects)
        guard !names.isEmpty else { return }
        // A global object, such as `tests`, is no part of the body; the others are, or are known to be new.
        let bodies = effects.variables.all.union(["res", "response", ""])
        let isBody =
            !changes.contents.isDisjoint(with: bodies)
            || !changes.members.intersection(bodies).isSubset(of: effects.variables.own)
        locals.forget { name, value in
            names.contains(name) || !objects.isEmpty && value.isCreated || isBody && value.mayHaveBody
        }
        let globals: Set = ["pm", "res", "response", "responseBody", "responseCode", "environment", "globals"]
        let known = globals.union(effects.variables.all)
        for name in names.intersection(known).union(isBody ? ["res", "response"] : []) where locals[name] == nil {
            locals[name] = .unknown(name)
        }
    }

    /// Makes comments of declarations that were not translated, if nothing uses their variables.
    private mutating func removeUnusedDeclarations(_ lexer: ScriptLexer) {
        // How often the script has each name, but for those declarations.
        var uses = Self.names(in: lexer)
        // A declaration may use those before it.
        for (index, loss) in result.losses.enumerated().reversed() where !loss.declared.isEmpty {
            let own = Self.names(in: ScriptLexer(loss.statement))
            guard !loss.statement.contains("pm.") || loss.statement.contains("pm.response"),
                !["bru.", "req.", "expect(", "assert", "test("].contains(where: loss.statement.contains),
                loss.declared.allSatisfy({ uses[$0] == own[$0] })
            else { continue }
            result.comments += loss.statement.split(whereSeparator: \.isNewline).map(String.init)
            result.losses.remove(at: index)
            uses.merge(own, uniquingKeysWith: -)
        }
    }

    private static func names(in lexer: ScriptLexer) -> [String: Int] {
        lexer.tokens.reduce(into: [:]) { if case .name(let name) = $1.kind { $0[name, default: 0] += 1 } }
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
            case .declaration(let declarations, _): for declaration in declarations { try declare(declaration) }
            case .expression(let expression): try translate(expression, message, statement)
            case .returning(let expression):
                if !guards.isEmpty || attempted > function { noteReturn(in: [statement]) }
                try translate(expression, message, statement)
            case .conditional(let condition, let then, let otherwise):
                try translate(condition, then, otherwise, message)
            case .attempt(let body, let handler):
                guard handler.allSatisfy({ Self.isHarmless($0) }) else {
                    throw Untranslatable("the handler of an error has effects")
                }
                noteReturn(in: handler)
                let outer = attempted
                attempted = locals.depth
                translate(block: body, message)
                attempted = outer
            case .other, .unread: throw Untranslatable(Self.reason(for: text(of: statement)))
            }
        } catch {
            var text = self.text(of: statement)
            while let last = text.unicodeScalars.last, last == ";" || last == "\n" || last == " " {
                text.unicodeScalars.removeLast()
            }
            let offset = statement.range.lowerBound
            let line = script.line(at: offset) - 1
            var loss = ScriptTranslation.Loss(statement: text, reason: error.reason, offset: offset, line: line)
            if case .declaration(let declarations, _) = statement.kind {
                loss.declared = Set(declarations.flatMap { ScriptEffects.names(in: $0.target) })
            }
            result.losses.append(loss)
            apply(effects.effects(of: statement))
        }
    }

    /// Translates a block, or the body of a function, in a scope of its own.
    private mutating func translate(
        block statements: [ScriptStatement],
        isFunction: Bool = false,
        parameters: [ScriptExpression] = [],
        _ message: String?
    ) {
        var names: [String: ScriptValue] = [:]
        let declarations = ScriptEffects.declarations(in: statements, isFunction: isFunction).map(\.target)
        for name in (declarations + parameters).flatMap({ ScriptEffects.names(in: $0) }) {
            names[name] = .untranslated("it uses '\(name)', which has no value")
        }
        let outer = (function, returned)
        if isFunction { function = locals.depth }
        locals.enter(names)
        for statement in statements { translate(statement, message: message) }
        locals.exit()
        if isFunction { (function, returned) = outer }
    }

    private static func reason(for text: String) -> String {
        switch text.prefix(while: { $0.isLetter }) {
        case "for", "while", "do": "a loop of a script has no counterpart; a step has 'forEach'"
        case "function", "class", "async": "functions are not imported"
        default: "this statement is not one of those that are translated"
        }
    }

    private mutating func declare(_ declaration: ScriptStatement.Declaration) throws(Untranslatable) {
        guard let expression = declaration.value, !ScriptEffects.isModule(expression) else { return }
        applyEffects(of: expression)
        guard case .name(let name) = declaration.target else {
            for name in ScriptEffects.names(in: declaration.target) { locals[name] = .unknown(name) }
            throw Untranslatable("it declares several variables by a pattern")
        }
        if case .function = expression {
            locals[name] = .untranslated("functions are not imported")
            throw Untranslatable("functions are not imported")
        }
        try assign(expression, to: name)
    }

    private mutating func assign(_ expression: ScriptExpression, to name: String) throws(Untranslatable) {
        let depth = locals.depth(of: name)
        do throws(Untranslatable) {
            let value = try value(of: expression)
            guard areGuardsOfSuccess || depth >= conditional, depth >= returned else {
                throw Untranslatable("it assigns a variable under a condition")
            }
            // An error before it is caught: only what cannot fail, unless the response has another form, is assigned for sure.
            if depth < attempted, !value.isWholeBody {
                throw Untranslatable("it assigns a variable unless an error is caught")
            }
            let isKnown =
                !effects.later.assigned.contains(name) && !effects.later.members.contains(name)
                && !effects.later.contents.contains(name) && !(isBodyChanging && value.mayHaveBody)
            locals[name] = isKnown ? value : .unknown(name)
        } catch {
            locals[name] = .untranslated("it uses '\(name)', which is not imported")
            throw error
        }
    }

    /// Translates an expression that is a statement.
    private mutating func translate(
        _ expression: ScriptExpression,
        _ message: String?,
        _ statement: ScriptStatement
    ) throws(Untranslatable) {
        switch expression {
        case .assignment("=", .name, let value):
            applyEffects(of: value)
        case .call(let function, let arguments) where path(of: function) == "pm.test":
            if let name = arguments.first { applyEffects(of: name) }
        case .call(let function, let arguments) where path(of: function).flatMap(ScriptNames.store) != nil:
            for argument in arguments { applyEffects(of: argument) }
            changeStore(path(of: function) ?? "", arguments)
        default: applyEffects(of: expression)
        }
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

    /// A function of a scope of variables sets or removes one of them, or all. Its former value is not read any more.
    private mutating func changeStore(_ path: String, _ arguments: [ScriptExpression]) {
        guard let (scope, function) = ScriptNames.store(path), function != "get" else { return }
        if function != "clear", case .string(let name)? = arguments.first.flatMap({ try? value(of: $0) }) {
            stored[scope, default: [:]][name] = .unknown(name)
        } else {
            for name in stored[scope, default: [:]].keys { stored[scope]?[name] = .unknown(name) }
            unknownStored.insert("")
        }
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
            guard arguments.count == 2, case .function(let parameters, let body) = arguments[1] else { return false }
            let name: String? = if case .string(let text) = arguments[0] { text } else { nil }
            let before = (result.checks.count, result.losses.count, result.captures.count)
            translate(block: body, isFunction: true, parameters: parameters, name)
            if before == (result.checks.count, result.losses.count, result.captures.count), guards.isEmpty,
                effects.effects(of: statement).isEmpty
            {
                throw Untranslatable("it passes with any response")
            }
        case "client.assert":
            guard let condition = arguments.first else { return false }
            let label = try values(of: Array(arguments.dropFirst().prefix(1))).first
            let text: String? = if case .string(let text)? = label { text } else { message }
            try addCheck(of: condition, message: text ?? "")
        case _ where ScriptNames.store(path)?.function == "set":
            guard arguments.count >= 2, case .string(let name) = try value(of: arguments[0]) else {
                throw Untranslatable("the name of the variable is computed")
            }
            guard ![.name("null"), .name("undefined")].contains(arguments[1]) else {
                result.comments.append(Self.oneLine(text(of: statement)))
                break
            }
            try set(name, in: ScriptNames.store(path)?.store ?? "", to: arguments[1])
        case _
        where path == "pm.test.skip" || path.hasPrefix("console.")
            || ["unset", "clear"].contains(ScriptNames.store(path)?.function):
            // The variables of a manifest exist for one run.
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

    private mutating func set(_ name: String, in scope: String, to expression: ScriptExpression) throws(Untranslatable)
    {
        guard areGuardsOfSuccess || guards.isEmpty, returned == 0 else {
            throw Untranslatable("it sets a variable under a condition")
        }
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
        let isKnown = effects.later.stored.isDisjoint(with: ["", name]) && !(isBodyChanging && value.mayHaveBody)
        stored[scope, default: [:]][name] = isKnown ? value : .unknown(name)
    }

    private mutating func translate(
        _ condition: ScriptExpression,
        _ then: [ScriptStatement],
        _ otherwise: [ScriptStatement],
        _ message: String?
    ) throws(Untranslatable) {
        applyEffects(of: condition)
        if case .assignment("=", let target, let value) = condition, let label = try testName(target) {
            // The condition is a test itself: if it fails, the step does.
            guard otherwise.allSatisfy({ Self.isHarmless($0) }) else { throw Untranslatable("it has two branches") }
            try addCheck(of: value, message: label)
            for statement in then { translate(statement, message: message) }
            return
        }
        guard otherwise.allSatisfy({ Self.isHarmless($0) }) else { throw Untranslatable("it has two branches") }
        noteReturn(in: otherwise)
        // A test that fails unless the condition holds.
        let failing = otherwise.lazy.compactMap { Self.test($0, of: "false") }.first
        if let failing { try addCheck(of: condition, message: try testName(failing) ?? "") }
        let test = try self.condition(condition)
        if test.literal == "false" { throw Untranslatable("its condition never holds") }
        let outer = (guards, areGuardsOfSuccess, conditional)
        if failing == nil, test.literal != "true" {
            areGuardsOfSuccess = areGuardsOfSuccess && Self.isSuccess(test)
            conditional = locals.depth
            guards.append(test)
        }
        translate(block: then.filter { failing == nil || Self.test($0, of: "true") != failing }, message)
        (guards, areGuardsOfSuccess, conditional) = outer
    }

    /// The target of `tests["name"] = true` or `false`; nil for another statement.
    private static func test(_ statement: ScriptStatement, of value: String) -> ScriptExpression? {
        guard case .expression(.assignment("=", let target, .name(value))) = statement.kind else { return nil }
        switch target {
        case .index(.name("tests"), _), .member(.name("tests"), _): return target
        default: return nil
        }
    }

    /// What follows a statement is executed under a condition if a part of it may leave the function.
    private mutating func noteReturn(in statements: [ScriptStatement]) {
        let isReturn = statements.contains { if case .returning = $0.kind { true } else { false } }
        // Without success, the step fails anyway.
        let isOfSuccess = guards.count == 1 && Self.isSuccess(Self.negated(guards[0]))
        if isReturn, !isOfSuccess { returned = max(returned, function) }
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
        case .expression(.name), .expression(.string), .returning(.name): true
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
        default: break
        }
        var text = try condition(expression)
        switch try? value(of: expression) {
        case .data("$"): throw Untranslatable("it passes with nearly any response")
        case .body: text = "default(response.body, '') != ''"
        default: break
        }
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

    /// Why a condition without a response is not imported.
    static let constant = Untranslatable("it is a test of constants, which does not depend on the response")

    /// Returns a check that fails, as JavaScript does, where the object is missing whose member must not exist.
    private func requiringOwner(_ check: ImportedCheck) -> ImportedCheck {
        guard case .condition(let text, let message) = check, text.holds(for: [:]), text.paths.count == 1,
            case let path = text.paths[0], path.isComplete, path.segments.count > 1,
            !text.parts.contains(where: { "\($0)".contains(" || ") })
        else { return check }
        let owner = path.segments.dropLast().reduce("$") { owner, segment in
            switch segment.key {
            case .name(let name): Self.path(owner, name)
            case .index(let index): "\(owner)[\(index)]"
            }
        }
        return .condition(Self.joined("exists(\(owner))", "&&", text), message: message)
    }

    /// Adds a check, which the current conditions limit.
    mutating func add(_ check: ImportedCheck) throws(Untranslatable) {
        if case .condition(let text, _) = check, let code = text.literal, !code.contains("$"),
            !code.contains("response.")
        {
            throw Self.constant
        }
        let check = requiringOwner(check)
        if guards.isEmpty { return result.checks.append(check) }
        var code: ImportedText
        var message: String?
        switch check {
        case .status(let codes):
            code = ImportedText(ImportedCheck.condition(status: codes))
            if areGuardsOfSuccess, codes == ["2xx"] || guards.contains(where: { $0.literal == code.literal }) { return }
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
