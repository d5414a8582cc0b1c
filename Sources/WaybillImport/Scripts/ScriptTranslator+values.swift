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
        case .array(let elements): return .list(try values(of: elements))
        case .unary("!", _): return .code(try condition(expression), isCondition: true)
        case .unary("-", .number(let text)): return .number("-\(text)")
        case .binary(let mark, let left, let right): return try binary(mark, left, right)
        case .conditional(let test, let first, let second):
            return .code("if(\(try condition(test)), \(try code(of: first)), \(try code(of: second)))")
        case .template(let strings, let values) where values.isEmpty: return .string(strings.joined())
        case .template(let strings, let values):
            var parts: [ImportedText] = []
            for (index, string) in strings.enumerated() {
                if !string.isEmpty { parts.append(.quoted(string)) }
                if index < values.count { parts.append(try code(of: values[index])) }
            }
            return .code(parts.isEmpty ? "''" : .call("concat", parts))
        case .assignment("=", .name, let value): return try self.value(of: value)
        case .object: return .code("parse(\(ManifestWriter.quoted(JSONWriter().string(try json(expression)))))")
        case .new, .unary, .function, .assignment:
            throw Untranslatable("it computes what an expression of a manifest cannot")
        }
    }

    func values(of expressions: [ScriptExpression]) throws(Untranslatable) -> [ScriptValue] {
        try expressions.map { expression throws(Untranslatable) in try value(of: expression) }
    }

    /// Returns the value of an expression as an expression of the manifest language.
    func code(of expression: ScriptExpression) throws(Untranslatable) -> ImportedText {
        try code(try value(of: expression))
    }

    /// The constant that an expression is.
    func json(_ expression: ScriptExpression) throws(Untranslatable) -> JSON {
        switch expression {
        case .object(let members):
            var object = JSONObject()
            for (name, value) in members { object[name] = try json(value) }
            return .object(object)
        case .array(let elements):
            return .array(try elements.map { element throws(Untranslatable) in try json(element) })
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
        if case .untranslated(let reason)? = locals[name] { throw Untranslatable(reason) }
        guard let value = locals[name] ?? Self.names[name] else { throw Untranslatable("'\(name)' is not known") }
        return value
    }

    private static let names: [String: ScriptValue] = [
        "true": .boolean(true), "false": .boolean(false), "null": .null, "responseBody": .body,
        "responseTime": .code("response.time"), "responseHeaders": .headers,
    ]

    /// The members that the sandbox of Postman has.
    private static let members: [String: ScriptValue] = [
        "pm.response.code": .code("response.status"), "responseCode.code": .code("response.status"),
        "pm.response.responseTime": .code("response.time"), "pm.response": .response,
        "pm.response.headers": .headers, "response.body": .data("$"), "res.body": .data("$"),
        "response.contentType.mimeType": .code("trim(first(split(response.headers['Content-Type'], ';')))"),
    ]

    /// The functions without arguments.
    private static let functions: [String: ScriptValue] = [
        "pm.response.code": .code("response.status"), "pm.response.responseTime": .code("response.time"),
        "pm.response.headers": .headers, "pm.response.json": .data("$"), "pm.response.text": .body,
        "Date.now": .code("epoch() * 1000"), "crypto.randomUUID": .code("uuid()"), "uuid.v4": .code("uuid()"),
        "uuid": .code("uuid()"),
    ]

    /// The functions of one value that an expression has, too.
    private static let conversions = [
        "JSON.stringify": "json", "encodeURIComponent": "urlencode", "btoa": "base64", "atob": "unbase64",
        "parseInt": "number", "parseFloat": "number", "Number": "number", "String": "string", "Math.round": "round",
        "Math.floor": "round",
    ]

    /// The methods that an expression has as functions of the value and the arguments.
    private static let methods: [String: (function: String, arguments: Int, isCondition: Bool)] = [
        "toString": ("string", 0, false), "toLowerCase": ("lower", 0, false), "toUpperCase": ("upper", 0, false),
        "trim": ("trim", 0, false), "split": ("split", 1, false), "join": ("join", 1, false),
        "startsWith": ("startsWith", 1, true), "endsWith": ("endsWith", 1, true),
    ]

    /// Returns a member that the sandbox of Postman has, or a member of a value.
    private func member(_ name: String, of base: ScriptExpression, _ whole: ScriptExpression) throws(Untranslatable)
        -> ScriptValue
    {
        if let path = path(of: whole) {
            if let known = Self.members[path] { return known }
            if path.hasPrefix("data.") { throw Untranslatable("a run has no rows of data; a step has 'forEach'") }
            if let scope = ["environment.", "globals.", "pm.environment.values."].first(where: path.hasPrefix) {
                let name = String(path.dropFirst(scope.count))
                return variable(name, in: scope == "globals." ? "globals" : "environment")
            }
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
            return .code("length(\(try code(value)))")
        default: throw Untranslatable("it reads '\(name)', which is not known")
        }
    }

    private func element(_ index: ScriptExpression, of base: ScriptExpression) throws(Untranslatable) -> ScriptValue {
        let key = try value(of: index)
        if case .string(let name) = key {
            if let scope = path(of: base), ["environment", "globals"].contains(scope) {
                return variable(name, in: scope)
            }
            return try member(name, of: try value(of: base))
        }
        guard case .number(let number) = key, UInt(number) != nil, case .data(let path) = try value(of: base) else {
            throw Untranslatable("an index of it is computed, or negative, for which JavaScript has no element")
        }
        return .data("\(path)[\(number)]")
    }

    /// The value of a variable of Postman in a scope; `variables` looks it up in all of them.
    private func variable(_ name: String, in scope: String) -> ScriptValue {
        let scopes = scope == "variables" ? [scope, "environment", "collectionVariables", "globals"] : [scope]
        for scope in scopes { if let value = stored[scope]?[name] { return value } }
        if stored.values.contains(where: { $0[name] != nil }) {
            return .untranslated("it reads the variable '\(name)' of another scope than the one that is set")
        }
        return unknownStored.isDisjoint(with: ["", name]) ? .code(.ofVariable(name)) : .unknown(name)
    }

    /// Adds a member to a path.
    static func path(_ path: String, _ name: String) -> String {
        NameForms.kept(name) == name ? "\(path).\(name)" : "\(path)[\(ManifestWriter.quoted(name))]"
    }

    static func joined(_ left: ImportedText, _ mark: String, _ right: ImportedText) -> ImportedText {
        "\(operand(left, of: mark)) \(mark) \(operand(right, of: mark))"
    }

    /// Returns an operand, in parentheses if it has operators of its own that are not the same.
    private static func operand(_ text: ImportedText, of mark: String) -> ImportedText {
        let marks = ["||", "&&", "==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%"]
        let isSame = mark == "&&" || mark == "||" || mark == "+"
        // A comparison binds more tightly than the operators of conditions, and a calculation more than a comparison.
        let others = mark == "&&" || mark == "||" ? marks.prefix(2) : marks[...]
        let needs = text.parts.contains { part in
            guard case .literal(let literal) = part else { return false }
            return others.contains { !(isSame && $0 == mark) && literal.contains(" \($0) ") }
        }
        return needs ? "(\(text))" : text
    }

    // MARK: Operators

    /// A comparison. A member that is missing is `undefined`, which `==` takes for null.
    private func equality(_ mark: String, _ left: ScriptExpression, _ right: ScriptExpression) throws(Untranslatable)
        -> ImportedText
    {
        let isNegated = mark.hasPrefix("!")
        let sign = isNegated ? "!=" : "=="
        let subject = try value(of: left)
        let first = try code(subject)
        if right == .name("undefined"), mark.count == 3 { return "\(isNegated ? "" : "!")exists(\(first))" }
        if right == .name("undefined") || right == .name("null"), mark.count == 2 {
            return "default(\(first), null) \(sign) null"
        }
        var second = try value(of: right)
        if first.literal == "response.status", mark.count == 2, case .string(let text) = second, Int(text) != nil {
            second = .number(text)
        }
        if subject.isCreated || second.isCreated { throw Self.identity }
        if left == right || first == (try? code(second)) { throw Self.constant }
        if mark == "!=", case .data = subject { return try Self.differs(first, from: second) }
        return Self.joined(first, sign, try code(second))
    }

    /// The condition that a value differs from a constant for `!=`, which takes `1`, `'1'` and `true` for the same.
    private static func differs(_ text: ImportedText, from constant: ScriptValue) throws(Untranslatable) -> ImportedText
    {
        let number: String
        switch constant {
        case .number(let digits): number = digits
        case .boolean(let value): number = value ? "1" : "0"
        case .string(let word) where word.isEmpty: number = "0"
        case .string(let word) where JSONNumber(parsing: word) != nil: number = word
        case .string(let word): return joined(text, "!=", .quoted(word))
        default: throw Untranslatable("'!=' of computed values converts them: use '!=='")
        }
        let equal = [number, "'\(number)'"] + (number == "0" ? ["false", "''"] : number == "1" ? ["true"] : [])
        return "!contains(list(\(equal.joined(separator: ", "))), \(text))"
    }

    /// Why a comparison with a new list or object is not imported.
    static let identity = Untranslatable("a new list or object equals no other one; 'eql' and 'deep.equal' compare")

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
            return .code(Self.joined(try code(of: left), mark, try code(of: right)), isCondition: true)
        case "&&", "||":
            // The value is that of an operand.
            for operand in [left, right] {
                switch try value(of: operand) {
                case .code(_, isCondition: true), .boolean: break
                default: throw Untranslatable("the value of '\(mark)' is not only true or false")
                }
            }
            return .code(try logical(mark, left, right), isCondition: true)
        case "in":
            guard case .string(let name) = try value(of: left) else {
                throw Untranslatable("the name of a member is computed")
            }
            return .code("exists(\(try code(try member(name, of: try value(of: right)))))", isCondition: true)
        case "+":
            let values = (try value(of: left), try value(of: right))
            let isText = [values.0, values.1].contains { if case .string = $0 { true } else { false } }
            let parts = (try code(values.0), try code(values.1))
            guard isText || parts.0.startsWith("concat(") != nil else {
                return .code(Self.joined(parts.0, "+", parts.1))
            }
            return .code("concat(\(parts.0), \(parts.1))")
        case "-", "*", "/", "%":
            let result = Self.joined(try code(of: left), mark, try code(of: right))
            return .code(result.literal == "(epoch() * 1000) / 1000" ? "epoch()" : result)
        default: throw Untranslatable("'\(mark)' has no counterpart")
        }
    }

    /// The condition that both operands are true, or one of them.
    private func logical(_ mark: String, _ left: ScriptExpression, _ right: ScriptExpression) throws(Untranslatable)
        -> ImportedText
    {
        let parts = (try condition(left), try condition(right))
        if mark == "&&", parts.0.literal == "true" { return parts.1 }
        if mark == "&&", parts.1.literal == "true" { return parts.0 }
        if mark == "||", [parts.0, parts.1].contains(where: { $0.literal == "true" }) { throw Self.constant }
        return Self.joined(parts.0, mark, parts.1)
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
        if let known = Self.functions[path] { return known }
        if let (scope, function) = ScriptNames.store(path), function == "get" { return variable(try name(), in: scope) }
        if let function = Self.conversions[path] {
            let value = try argument()
            if case .code(let text, _) = value, text.literal?.hasPrefix("epoch()") ?? false { return value }
            // Only the current time is known to be an integer.
            if path == "Math.floor" { throw Untranslatable("an expression has no function that rounds down") }
            if function == "number", case .number = value { return value }
            return .code("\(function)(\(try code(value)))")
        }
        switch path {
        case "res":
            let query = try name()
            let statements = ScriptParser.statements(of: ScriptLexer("res.body.\(query)"))
            guard case .expression(let expression)? = statements.first?.kind, statements.count == 1,
                query.allSatisfy({ $0.isLetter || $0.isNumber || "_.[]".contains($0) })
            else { throw Untranslatable("the query '\(query)' has another form") }
            return try value(of: expression)
        case "bru.getProcessEnv": return .code(.ofVariable("process.env.\(try name())"))
        case "JSON.parse":
            let text = try argument()
            guard arguments.count == 1 else { throw Untranslatable("a function changes what is parsed") }
            return if case .body = text { .data("$") } else { .code("parse(\(try code(text)))") }
        case "pm.response.headers.get", "postman.getResponseHeader": return .header(try name())
        case "pm.response.headers.has":
            return .code("exists(response.headers[\(ManifestWriter.quoted(try name()))])", isCondition: true)
        case "pm.cookies.get": return .code("response.cookies[\(ManifestWriter.quoted(try name()))]")
        case "pm.cookies.has":
            return .code("exists(response.cookies[\(ManifestWriter.quoted(try name()))])", isCondition: true)
        case "pm.variables.replaceIn":
            let text = BracedText.text(try name()).text
            guard text.parts.count == 1, case .expression(let code)? = text.parts.first else {
                throw Untranslatable("the text contains several variables")
            }
            return .code(ImportedText(code))
        case "CryptoJS.MD5", "CryptoJS.SHA1", "CryptoJS.SHA256", "CryptoJS.SHA512":
            return .digest(String(path.dropFirst("CryptoJS.".count)).lowercased(), [try code(try argument())])
        case "CryptoJS.HmacSHA256" where arguments.count == 2:
            return .digest("hmac", [try code(of: arguments[1]), try code(try argument())])
        case "CryptoJS.enc.Base64.stringify":
            guard case .digest(let function, let parts) = try argument() else { return nil }
            return .code(.call(function, parts + ["'base64'"]))
        default: return nil
        }
    }

    /// Returns the value of a method of a value.
    private func method(_ name: String, of value: ScriptValue, _ arguments: [ScriptExpression]) throws(Untranslatable)
        -> ScriptValue
    {
        let encodings = Set(arguments.compactMap { path(of: $0) }).intersection([
            "CryptoJS.enc.Base64", "CryptoJS.enc.Hex",
        ])
        let values = try values(of: arguments.filter { !encodings.contains(path(of: $0) ?? "") })
        switch (name, value, values.count) {
        case ("toString", .digest(let function, let parts), 0):
            return .code(.call(function, encodings.contains("CryptoJS.enc.Base64") ? parts + ["'base64'"] : parts))
        case ("getTime", .date, 0), ("valueOf", .date, 0): return .code("epoch() * 1000")
        case ("toISOString", .date, 0), ("toJSON", .date, 0): return .code("now()")
        case ("toString", .string, 0), ("toString", .code, 0): return value
        case ("toString", .list, 0): throw Untranslatable("a list has no text")
        case ("has", _, 1), ("includes", _, 1): return .code(try contains(value, values[0]), isCondition: true)
        case ("hasOwnProperty", .data, 1):
            guard case .string(let member) = values[0] else { throw Untranslatable("the name of a member is computed") }
            return .code("exists(\(try code(try self.member(member, of: value))))", isCondition: true)
        case ("json", .response, 0): return .data("$")
        case ("text", .response, 0): return .body
        case ("get", .headers, 1):
            guard case .string(let field) = values[0] else {
                throw Untranslatable("the name of a header field is computed")
            }
            return .header(field)
        default: break
        }
        guard let (function, count, isCondition) = Self.methods[name], count == values.count else {
            throw Untranslatable("the function '\(name)' has no counterpart")
        }
        return .code(.call(function, try codes([value] + values)), isCondition: isCondition)
    }

    /// Returns the condition that a value contains another one.
    func contains(_ value: ScriptValue, _ part: ScriptValue) throws(Untranslatable) -> ImportedText {
        guard case .body = value else { return .call("contains", try codes([value, part])) }
        // The body is decoded, so that only a part of a name or value can be found in it.
        guard case .string(let text) = part,
            text.unicodeScalars.allSatisfy({
                NameForms.isLetter($0) || NameForms.isDigit($0) || " _-./@".unicodeScalars.contains($0)
            })
        else { throw Untranslatable("the body is decoded: compare one of its members") }
        return "contains(json(response.body), \(ManifestWriter.quoted(text)))"
    }

    // MARK: Expressions

    func codes(_ values: [ScriptValue]) throws(Untranslatable) -> [ImportedText] {
        try values.map { value throws(Untranslatable) in try code(value) }
    }

    /// Returns a value as an expression.
    func code(_ value: ScriptValue) throws(Untranslatable) -> ImportedText {
        switch value {
        case .null: return "null"
        case .boolean(let value): return value ? "true" : "false"
        case .string(let text): return .quoted(text)
        case .number(let text), .data(let text): return ImportedText(text)
        case .header(let name): return "response.headers[\(ManifestWriter.quoted(name))]"
        case .body: return "response.body"
        case .code(let text, _): return text
        case .list(let values): return .call("list", try codes(values))
        case .digest(let function, let parts): return .call(function, parts)
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
        if case .unary("!", .binary("==", let left, let right)) = expression { return try equality("!=", left, right) }
        if case .unary("!", let inner) = expression {
            let text = try condition(inner)
            let isCall = text.literal.map { $0.hasSuffix(")") && !$0.contains(" ") } ?? false
            return isCall ? "!\(text)" : "not(\(text))"
        }
        if case .binary(let mark, let left, let right) = expression, mark == "&&" || mark == "||" {
            return try logical(mark, left, right)
        }
        let value = try value(of: expression)
        switch value {
        case .code(let text, true): return text
        case .boolean(let value): return value ? "true" : "false"
        case .data("$"), .body: return "true"
        case .header: return "exists(\(try code(value)))"
        case .code(let text, _) where text.literal?.hasPrefix("length(") ?? false: return "\(text) > 0"
        case .data, .code: return Self.truth(of: try code(value))
        default: throw Untranslatable("it is not a condition")
        }
    }

    /// The condition that JavaScript takes a value as true.
    static func truth(of value: ImportedText) -> ImportedText { "!contains(list(false, 0, ''), default(\(value), ''))" }
}
