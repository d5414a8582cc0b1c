import WaybillJSON

extension ScriptTranslator {
    /// The names of a chain of members, such as `pm.response.json`, with Postman's names for what other tools have; nil if
    /// it is none, or if it starts with a variable of the script.
    func path(of expression: ScriptExpression) -> String? {
        switch expression {
        case .name(let name): locals[name] == nil ? ScriptNames.postman(name) : nil
        case .member(let base, let name): path(of: base).map { ScriptNames.postman("\($0).\(name)") }
        default: nil
        }
    }

    /// Returns the value of an expression.
    func value(of expression: ScriptExpression) throws(Untranslatable) -> ScriptValue {
        switch expression {
        case .string(let text): return .string(text)
        case .number(let text):
            guard JSONNumber(parsing: text) != nil else { throw Untranslatable("'\(text)' is not a number of JSON") }
            return .number(text)
        case .regex(let pattern, let flags):
            guard flags.allSatisfy({ $0 == "g" }) else {
                throw Untranslatable("the flags of the pattern have no counterpart")
            }
            return .regex(pattern)
        case .name(let name): return try value(ofName: name)
        case .member(let base, let name): return try member(name, of: base, expression)
        case .index(let base, let index): return try element(index, of: base)
        case .call(let function, let arguments): return try call(function, arguments)
        case .new(.call(.name("Date"), let arguments)) where arguments.isEmpty: return .date
        case .new(.name("Date")): return .date
        case .array(let elements):
            var values: [ScriptValue] = []
            for element in elements { values.append(try value(of: element)) }
            return .list(values)
        case .unary("!", _): return .code(try condition(expression), isCondition: true)
        case .unary("-", .number(let text)): return .number("-\(text)")
        case .binary(let mark, let left, let right): return try binary(mark, left, right)
        case .conditional(let test, let first, let second):
            let parts = (try condition(test), try code(try value(of: first)), try code(try value(of: second)))
            return .code(Self.call("if", [parts.0, parts.1, parts.2]))
        case .template(let strings, let values) where values.isEmpty: return .string(strings.joined())
        case .template(let strings, let values):
            var parts: [ImportedText] = []
            for (index, string) in strings.enumerated() {
                if !string.isEmpty { parts.append(ImportedText(ManifestWriter.quoted(string))) }
                if index < values.count { parts.append(try code(try value(of: values[index]))) }
            }
            return .code(parts.isEmpty ? "''" : Self.call("concat", parts))
        case .assignment(_, _, let value): return try self.value(of: value)
        case .object:
            let text = JSONWriter().string(try json(expression))
            return .code(Self.call("parse", [ImportedText(ManifestWriter.quoted(text))]))
        case .new, .unary, .function:
            throw Untranslatable("it computes what an expression of a manifest cannot")
        }
    }

    /// The constant that an expression is.
    func json(_ expression: ScriptExpression) throws(Untranslatable) -> JSON {
        switch expression {
        case .object(let members):
            var object = JSONObject()
            for (name, value) in members { object[name] = try json(value) }
            return .object(object)
        case .array(let elements):
            var values: [JSON] = []
            for element in elements { values.append(try json(element)) }
            return .array(values)
        default:
            switch try value(of: expression) {
            case .null: return .null
            case .boolean(let value): return .bool(value)
            case .string(let text): return .string(text)
            case .number(let text): if let number = JSONNumber(parsing: text) { return .number(number) }
            default: break
            }
            throw Untranslatable("an object in it is computed")
        }
    }

    private func value(ofName name: String) throws(Untranslatable) -> ScriptValue {
        switch locals[name] {
        case .untranslated(let reason)?: throw Untranslatable(reason)
        case let value?: return value
        case nil: break
        }
        switch name {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null", "undefined": return .null
        case "responseBody": return .body
        case "responseTime": return .code("response.time")
        case "responseHeaders": return .headers
        default: throw Untranslatable("'\(name)' is not known")
        }
    }

    /// Returns a member that the sandbox of Postman has, or a member of a value.
    private func member(_ name: String, of base: ScriptExpression, _ whole: ScriptExpression) throws(Untranslatable)
        -> ScriptValue
    {
        switch path(of: whole) {
        case "pm.response.code", "responseCode.code": return .code("response.status")
        case "pm.response.responseTime": return .code("response.time")
        case "pm.response": return .response
        case "pm.response.headers": return .headers
        case "response.body", "res.body": return .data("$")
        case "response.contentType.mimeType":
            return .code("trim(first(split(response.headers['Content-Type'], ';')))")
        case let path?:
            for store in ["environment.", "globals.", "pm.environment.values.", "data."] where path.hasPrefix(store) {
                if store == "data." { throw Untranslatable("a run has no rows of data; a step has 'forEach'") }
                return variable(String(path.dropFirst(store.count)))
            }
        case nil: break
        }
        return try member(name, of: try value(of: base))
    }

    func member(_ name: String, of value: ScriptValue) throws(Untranslatable) -> ScriptValue {
        switch value {
        case .data(let path) where name != "length": return .data(Self.path(path, name))
        case .headers: return .header(name)
        case .list(let values) where name == "length": return .number("\(values.count)")
        case .body where name == "length": return .code("length(response.body)")
        case .data, .code, .header:
            guard name == "length" else { throw Untranslatable("it reads a member '\(name)' of a computed value") }
            return .code(Self.call("length", [try code(value)]))
        default: throw Untranslatable("it reads '\(name)', which is not known")
        }
    }

    private func element(_ index: ScriptExpression, of base: ScriptExpression) throws(Untranslatable) -> ScriptValue {
        let key = try value(of: index)
        if case .string(let name) = key {
            if path(of: base) == "environment" || path(of: base) == "globals" { return variable(name) }
            return try member(name, of: try value(of: base))
        }
        guard case .number(let number) = key, Int(number) != nil, case .data(let path) = try value(of: base) else {
            throw Untranslatable("an index of it is computed")
        }
        return .data("\(path)[\(number)]")
    }

    /// The value of a variable of Postman.
    func variable(_ name: String) -> ScriptValue {
        locals["$\(name)"] ?? .code(ImportedText([.variable(name)]))
    }

    /// Adds a member to a path.
    static func path(_ path: String, _ name: String) -> String {
        NameForms.kept(name) == name ? "\(path).\(name)" : "\(path)[\(ManifestWriter.quoted(name))]"
    }

    /// Returns the expression `name(argument, …)`.
    static func call(_ name: String, _ arguments: [ImportedText]) -> ImportedText {
        var result = ImportedText(name + "(")
        for (index, argument) in arguments.enumerated() {
            if index > 0 { result.append(.literal(", ")) }
            result.append(argument)
        }
        result.append(.literal(")"))
        return result
    }

    static func joined(_ left: ImportedText, _ mark: String, _ right: ImportedText) -> ImportedText {
        var result = operand(left, of: mark)
        result.append(.literal(" \(mark) "))
        result.append(operand(right, of: mark))
        return result
    }

    /// Returns an operand, in parentheses if it has operators of its own that are not the same.
    private static func operand(_ text: ImportedText, of mark: String) -> ImportedText {
        let marks = ["||", "&&", "==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%"]
        let isSame = mark == "&&" || mark == "||" || mark == "+"
        let others = marks.filter { !(isSame && $0 == mark) }.map { " \($0) " }
        // A comparison binds more tightly than the operators of conditions, and a calculation more than a comparison.
        let tighter = mark == "&&" || mark == "||" ? Set(marks.dropFirst(2).map { " \($0) " }) : []
        let needs = text.parts.contains { part in
            guard case .literal(let literal) = part else { return false }
            return others.contains { !tighter.contains($0) && literal.contains($0) }
        }
        return needs ? ImportedText([.literal("(")] + text.parts + [.literal(")")]) : text
    }

    // MARK: Operators

    /// A comparison. A member that is missing is `undefined`, which `==` takes for null.
    private func equality(_ mark: String, _ left: ScriptExpression, _ right: ScriptExpression) throws(Untranslatable)
        -> ImportedText
    {
        let isNegated = mark.hasPrefix("!")
        let sign = isNegated ? "!=" : "=="
        let first = try code(try value(of: left))
        if right == .name("undefined"), mark.count == 3 {
            let exists = Self.call("exists", [first])
            return isNegated ? exists : ImportedText([.literal("!")] + exists.parts)
        }
        if right == .name("undefined") || right == .name("null"), mark.count == 2 {
            return Self.joined(Self.call("default", [first, "null"]), sign, "null")
        }
        var second = try value(of: right)
        if first.literal == "response.status", mark.count == 2, case .string(let text) = second, Int(text) != nil {
            second = .number(text)
        }
        return Self.joined(first, sign, try code(second))
    }

    private func binary(_ mark: String, _ left: ScriptExpression, _ right: ScriptExpression) throws(Untranslatable)
        -> ScriptValue
    {
        switch mark {
        case "==", "===", "!=", "!==": return .code(try equality(mark, left, right), isCondition: true)
        case "<", ">", "<=", ">=":
            // `text.indexOf(part) > -1`
            if case .call(.member(let text, "indexOf"), let parts) = left, parts.count == 1,
                (mark, right) == (">", .unary("-", .number("1"))) || (mark, right) == (">=", .number("0"))
            {
                return .code(try contains(try value(of: text), try value(of: parts[0])), isCondition: true)
            }
            return .code(
                Self.joined(try code(try value(of: left)), mark, try code(try value(of: right))),
                isCondition: true
            )
        case "&&", "||":
            let parts = (try condition(left), try condition(right))
            if mark == "&&", parts.0.literal == "true" { return .code(parts.1, isCondition: true) }
            if mark == "&&", parts.1.literal == "true" { return .code(parts.0, isCondition: true) }
            return .code(Self.joined(parts.0, mark, parts.1), isCondition: true)
        case "in":
            guard case .string(let name) = try value(of: left) else {
                throw Untranslatable("the name of a member is computed")
            }
            return .code(Self.call("exists", [try code(try member(name, of: try value(of: right)))]), isCondition: true)
        case "+":
            let values = (try value(of: left), try value(of: right))
            let isText = [values.0, values.1].contains { if case .string = $0 { true } else { false } }
            guard isText || isConcatenation(values.0) else {
                return .code(Self.joined(try code(values.0), "+", try code(values.1)))
            }
            return .code(Self.call("concat", [try code(values.0), try code(values.1)]))
        case "-", "*", "/", "%":
            let result = Self.joined(try code(try value(of: left)), mark, try code(try value(of: right)))
            return .code(result.literal == "(epoch() * 1000) / 1000" ? "epoch()" : result)
        default: throw Untranslatable("'\(mark)' has no counterpart")
        }
    }

    private func isConcatenation(_ value: ScriptValue) -> Bool {
        guard case .code(let text, _) = value, case .literal(let start)? = text.parts.first else { return false }
        return start.hasPrefix("concat(")
    }

    // MARK: Calls

    private func call(_ function: ScriptExpression, _ arguments: [ScriptExpression]) throws(Untranslatable)
        -> ScriptValue
    {
        if let path = path(of: function), let known = try known(path, arguments) { return known }
        guard case .member(let base, let name) = function else {
            throw Untranslatable("the function it calls is not known")
        }
        return try method(name, of: try value(of: base), arguments)
    }

    /// Returns the value of a function of the sandbox or of JavaScript; nil for another one.
    private func known(_ path: String, _ arguments: [ScriptExpression]) throws(Untranslatable) -> ScriptValue? {
        func argument() throws(Untranslatable) -> ScriptValue {
            guard let first = arguments.first else { throw Untranslatable("an argument is missing") }
            return try value(of: first)
        }
        func name() throws(Untranslatable) -> String {
            guard case .string(let name) = try argument() else { throw Untranslatable("a name in it is computed") }
            return name
        }
        let functions = [
            "JSON.stringify": "json", "encodeURIComponent": "urlencode", "btoa": "base64", "atob": "unbase64",
            "parseInt": "number",
            "parseFloat": "number", "Number": "number", "String": "string", "Math.round": "round",
            "Math.floor": "round",
        ]
        if let function = functions[path] {
            let value = try argument()
            if case .code(let text, _) = value, text.literal?.hasPrefix("epoch()") ?? false { return value }
            // Only the current time is known to be an integer.
            if path == "Math.floor" { throw Untranslatable("an expression has no function that rounds down") }
            if function == "number", case .number = value { return value }
            return .code(Self.call(function, [try code(value)]))
        }
        switch path {
        case "pm.response.code": return .code("response.status")
        case "pm.response.responseTime": return .code("response.time")
        case "pm.response.headers": return .headers
        case "res":
            let query = try name()
            let statements = ScriptParser.statements(of: ScriptLexer("res.body.\(query)"))
            guard case .expression(let expression)? = statements.first?.kind, statements.count == 1,
                query.allSatisfy({ $0.isLetter || $0.isNumber || "_.[]".contains($0) })
            else { throw Untranslatable("the query '\(query)' has another form") }
            return try value(of: expression)
        case "bru.getProcessEnv": return variable("process.env.\(try name())")
        case "pm.response.json": return .data("$")
        case "pm.response.text": return .body
        case "JSON.parse":
            switch try argument() {
            case .body: return .data("$")
            case let value: return .code(Self.call("parse", [try code(value)]))
            }
        case "pm.response.headers.get", "postman.getResponseHeader":
            return .header(try name())
        case "pm.response.headers.has":
            return .code(
                ImportedText("exists(response.headers[\(ManifestWriter.quoted(try name()))])"),
                isCondition: true
            )
        case "pm.cookies.get": return .code(ImportedText("response.cookies[\(ManifestWriter.quoted(try name()))]"))
        case "pm.cookies.has":
            return .code(
                ImportedText("exists(response.cookies[\(ManifestWriter.quoted(try name()))])"),
                isCondition: true
            )
        case "pm.environment.get", "pm.globals.get", "pm.collectionVariables.get", "pm.variables.get",
            "postman.getEnvironmentVariable", "postman.getGlobalVariable",
            "request.environment.get":
            return variable(try name())
        case "Date.now": return .code("epoch() * 1000")
        case "crypto.randomUUID", "uuid.v4", "uuid": return .code("uuid()")
        case "pm.variables.replaceIn":
            let text = BracedText.text(try name())
            guard text.text.parts.count == 1, case .expression(let code)? = text.text.parts.first else {
                throw Untranslatable("the text contains several variables")
            }
            return .code(ImportedText(code))
        case "CryptoJS.MD5", "CryptoJS.SHA1", "CryptoJS.SHA256", "CryptoJS.SHA512":
            return .digest(String(path.dropFirst("CryptoJS.".count)).lowercased(), [try code(try argument())])
        case "CryptoJS.HmacSHA256":
            guard arguments.count == 2 else { return nil }
            return .digest("hmac", [try code(try value(of: arguments[1])), try code(try argument())])
        case "CryptoJS.enc.Base64.stringify":
            guard case .digest(let function, let parts) = try argument() else { return nil }
            return .code(Self.call(function, parts + ["'base64'"]))
        default: return nil
        }
    }

    /// Returns the value of a method of a value.
    private func method(_ name: String, of value: ScriptValue, _ arguments: [ScriptExpression]) throws(Untranslatable)
        -> ScriptValue
    {
        var values: [ScriptValue] = []
        for argument in arguments
        where path(of: argument) != "CryptoJS.enc.Base64" && path(of: argument) != "CryptoJS.enc.Hex" {
            values.append(try self.value(of: argument))
        }
        switch (name, value, values.count) {
        case ("toString", .digest(let function, let parts), 0):
            let isBase64 = arguments.contains { path(of: $0) == "CryptoJS.enc.Base64" }
            return .code(Self.call(function, isBase64 ? parts + ["'base64'"] : parts))
        case ("getTime", .date, 0), ("valueOf", .date, 0): return .code("epoch() * 1000")
        case ("toISOString", .date, 0), ("toJSON", .date, 0): return .code("now()")
        case ("toString", .string, 0), ("toString", .code, 0): return value
        case ("toString", .list, 0): throw Untranslatable("a list has no text")
        case ("toString", _, 0): return .code(Self.call("string", [try code(value)]))
        case ("has", _, 1), ("includes", _, 1): return .code(try contains(value, values[0]), isCondition: true)
        case ("hasOwnProperty", .data, 1):
            guard case .string(let member) = values[0] else { throw Untranslatable("the name of a member is computed") }
            return .code(Self.call("exists", [try code(try self.member(member, of: value))]), isCondition: true)
        case ("toLowerCase", _, 0): return .code(Self.call("lower", [try code(value)]))
        case ("toUpperCase", _, 0): return .code(Self.call("upper", [try code(value)]))
        case ("trim", _, 0): return .code(Self.call("trim", [try code(value)]))
        case ("startsWith", _, 1):
            return .code(Self.call("startsWith", [try code(value), try code(values[0])]), isCondition: true)
        case ("endsWith", _, 1):
            return .code(Self.call("endsWith", [try code(value), try code(values[0])]), isCondition: true)
        case ("split", _, 1): return .code(Self.call("split", [try code(value), try code(values[0])]))
        case ("join", _, 1): return .code(Self.call("join", [try code(value), try code(values[0])]))
        case ("json", .response, 0): return .data("$")
        case ("text", .response, 0): return .body
        case ("get", .headers, 1):
            guard case .string(let field) = values[0] else {
                throw Untranslatable("the name of a header field is computed")
            }
            return .header(field)
        default: throw Untranslatable("the function '\(name)' has no counterpart")
        }
    }

    /// Returns the condition that a value contains another one.
    func contains(_ value: ScriptValue, _ part: ScriptValue) throws(Untranslatable) -> ImportedText {
        guard case .body = value else { return Self.call("contains", [try code(value), try code(part)]) }
        // The body is decoded, so that only a part of a name or value can be found in it.
        guard case .string(let text) = part,
            text.unicodeScalars.allSatisfy({
                NameForms.isLetter($0) || NameForms.isDigit($0) || " _-./@".unicodeScalars.contains($0)
            })
        else { throw Untranslatable("the body is decoded: compare one of its members") }
        return ImportedText("contains(json(response.body), \(ManifestWriter.quoted(text)))")
    }

    // MARK: Expressions

    /// Returns a value as an expression.
    func code(_ value: ScriptValue) throws(Untranslatable) -> ImportedText {
        switch value {
        case .null: return "null"
        case .boolean(let value): return value ? "true" : "false"
        case .string(let text): return ImportedText(ManifestWriter.quoted(text))
        case .number(let text): return ImportedText(text)
        case .data(let path): return ImportedText(path)
        case .header(let name): return ImportedText("response.headers[\(ManifestWriter.quoted(name))]")
        case .body: return "response.body"
        case .code(let text, _): return text
        case .list(let values):
            var parts: [ImportedText] = []
            for value in values { parts.append(try code(value)) }
            return Self.call("list", parts)
        case .digest(let function, let parts): return Self.call(function, parts)
        case .date: return "now()"
        case .untranslated(let reason): throw Untranslatable(reason)
        case .response, .headers, .regex: throw Untranslatable("it uses an object that has no counterpart")
        }
    }

    /// Returns a value as a template.
    func template(_ value: ScriptValue) throws(Untranslatable) -> ImportedText {
        switch value {
        case .string(let text): return BracedText.text(text).text
        case .number(let text): return ImportedText(text)
        case .boolean(let value): return value ? "true" : "false"
        case .null: return ""
        default:
            let text = try code(value)
            if text.parts.count == 1, text.literal == nil { return text }
            guard let literal = text.literal else { throw Untranslatable("it is computed from other variables") }
            return ImportedText([.expression(literal)])
        }
    }

    /// Returns an expression as a condition: what JavaScript takes as true must exist and not be empty.
    func condition(_ expression: ScriptExpression) throws(Untranslatable) -> ImportedText {
        if case .unary("!", let inner) = expression {
            let text = try condition(inner)
            let isCall = text.literal.map { $0.hasSuffix(")") && !$0.contains(" ") } ?? false
            return isCall ? ImportedText([.literal("!")] + text.parts) : Self.call("not", [text])
        }
        let value = try value(of: expression)
        switch value {
        case .code(let text, true): return text
        case .boolean(let value): return value ? "true" : "false"
        case .data("$"), .body: return "true"
        case .header: return Self.call("exists", [try code(value)])
        case .code(let text, _) where text.literal?.hasPrefix("length(") ?? false: return Self.joined(text, ">", "0")
        case .data, .code: return Self.truth(of: try code(value))
        default: throw Untranslatable("it is not a condition")
        }
    }

    /// The condition that JavaScript takes a value as true.
    static func truth(of value: ImportedText) -> ImportedText {
        ImportedText([.literal("!")] + call("contains", ["list(false, 0, '')", call("default", [value, "''"])]).parts)
    }
}
