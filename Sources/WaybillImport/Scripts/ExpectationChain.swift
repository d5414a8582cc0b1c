import WaybillJSON

/// A sentence of Chai such as `pm.expect(x).to.be.above(3)` or `pm.response.to.have.status(200)`.
struct ExpectationChain {
    /// A word, with its arguments if it is called.
    struct Word {
        var name: String
        var arguments: [ScriptExpression]?
        /// Whether `not` is before it.
        var isNegated = false
    }

    /// What the sentence is about; nil for the response.
    let subject: ScriptExpression?
    /// The words after it, without those that only connect.
    let words: [Word]

    private static let connecting: Set<String> = [
        "to", "be", "been", "is", "that", "which", "and", "has", "have", "with", "at", "of", "same", "but", "does",
        "deep", "own", "should",
    ]

    /// Reads a sentence; nil for another expression.
    init?(_ expression: ScriptExpression) {
        var words: [Word] = []
        var rest = expression
        while true {
            switch rest {
            case .call(.member(.name("pm"), "expect"), let arguments) where !words.isEmpty,
                .call(.name("expect"), let arguments) where !words.isEmpty:
                guard let first = arguments.first else { return nil }
                subject = first
            case .member(.name("pm"), "response") where !words.isEmpty && words.last?.name == "to":
                subject = nil
            case .call(.member(let base, let name), let arguments):
                words.append(Word(name: name, arguments: arguments))
                rest = base
                continue
            case .member(let base, let name):
                words.append(Word(name: name))
                rest = base
                continue
            default: return nil
            }
            break
        }
        var isNegated = false
        self.words = words.reversed().compactMap { word in
            if word.name == "not" { isNegated = true }
            guard word.name != "not", word.arguments != nil || !Self.connecting.contains(word.name) else { return nil }
            return Word(name: word.name, arguments: word.arguments, isNegated: isNegated)
        }
    }
}

extension ScriptTranslator {
    /// Adds the checks of a sentence.
    mutating func add(_ chain: ExpectationChain, message: String?) throws(Untranslatable) {
        guard !chain.words.isEmpty else { throw Untranslatable("it checks nothing") }
        guard let expression = chain.subject else {
            for word in chain.words { try addResponse(word, word.isNegated, message) }
            return
        }
        var subject = try value(of: expression)
        for (index, word) in chain.words.enumerated() {
            let isLast = index == chain.words.count - 1
            // `length` and `property` change what the rest is about.
            if !isLast, word.name == "length" || word.name == "lengthOf" {
                subject = try member("length", of: subject)
                continue
            }
            try add(word, subject, word.isNegated, message)
            if word.name == "property", case .string(let name)? = word.arguments?.first {
                subject = try member(name, of: subject)
            }
        }
    }

    // MARK: The response

    private static let statuses: [String: [String]] = [
        "ok": ["2xx"], "success": ["2xx"], "info": ["1xx"], "redirection": ["3xx"], "clientError": ["4xx"],
        "serverError": ["5xx"],
        "error": ["4xx", "5xx"], "accepted": ["202"], "badRequest": ["400"], "unauthorized": ["401"],
        "forbidden": ["403"], "notFound": ["404"],
        "rateLimited": ["429"],
    ]
    private static let reasons: [String: String] = [
        "OK": "200", "Created": "201", "Accepted": "202", "No Content": "204", "Moved Permanently": "301",
        "Found": "302", "Not Modified": "304",
        "Bad Request": "400", "Unauthorized": "401", "Forbidden": "403", "Not Found": "404", "Conflict": "409",
        "Unprocessable Entity": "422",
        "Too Many Requests": "429", "Internal Server Error": "500",
    ]

    private mutating func addResponse(_ word: ExpectationChain.Word, _ isNegated: Bool, _ message: String?)
        throws(Untranslatable)
    {
        var values: [ScriptValue] = []
        for argument in word.arguments ?? [] { values.append(try value(of: argument)) }
        if let codes = try Self.codes(word.name, values.first) {
            guard isNegated else { return add(.status(codes)) }
            let condition = Self.negated(ImportedText(ImportedCheck.condition(status: codes)))
            return add(.condition(condition, message: message))
        }
        switch (word.name, values.first, values.dropFirst().first) {
        case ("json", nil, _) where !isNegated, ("jsonBody", nil, _) where !isNegated:
            return add(.header(name: "Content-Type", glob: "*json*"))
        case ("header", .string(let name)?, .string(let value)?) where !isNegated:
            if !value.contains(where: { "*?[\\".contains($0) }) { return add(.header(name: name, glob: value)) }
        default: break
        }
        let condition = try responseCondition(word.name, values)
        add(.condition(isNegated ? Self.negated(condition) : condition, message: message))
    }

    /// The codes that a word requires; nil for a word that is not about the status.
    private static func codes(_ word: String, _ value: ScriptValue?) throws(Untranslatable) -> [String]? {
        guard word == "status" else { return statuses[word] }
        switch value {
        case .number(let code)?: return [code]
        case .string(let reason)?: if let code = reasons[reason] { return [code] }
        default: break
        }
        throw Untranslatable("the reason of a status is not available")
    }

    private func responseCondition(_ word: String, _ values: [ScriptValue]) throws(Untranslatable) -> ImportedText {
        switch (word, values.first) {
        case ("header", .string(let name)?):
            let field = try code(.header(name))
            return values.count > 1 ? Self.joined(field, "==", try code(values[1])) : Self.call("exists", [field])
        case ("withBody", nil), ("body", nil): return "default(response.body, '') != ''"
        case ("body", .string?): return Self.joined("response.body", "==", try code(values[0]))
        case ("jsonBody", .string(let path)?):
            guard path.split(separator: ".").allSatisfy({ NameForms.kept(String($0)) == String($0) }) else {
                throw Untranslatable("the path '\(path)' has another form")
            }
            let member = ImportedText("$.\(path)")
            return values.count > 1 ? Self.joined(member, "==", try code(values[1])) : Self.call("exists", [member])
        default: throw Untranslatable("'\(word)' of the response has no counterpart")
        }
    }

    // MARK: Values

    private mutating func add(
        _ word: ExpectationChain.Word,
        _ subject: ScriptValue,
        _ isNegated: Bool,
        _ message: String?
    ) throws(Untranslatable) {
        var values: [ScriptValue] = []
        for argument in word.arguments ?? [] { values.append(try value(of: argument)) }
        // What is simpler as another expectation.
        let isStatus = if case .code(let text, _) = subject { text.literal == "response.status" } else { false }
        let isTime = if case .code(let text, _) = subject { text.literal == "response.time" } else { false }
        let isEquality = ["eql", "equal", "eq", "equals"].contains(word.name)
        if case .data("$") = subject, isEquality, !isNegated, guards.isEmpty, case .object? = word.arguments?.first,
            let value = word.arguments?.first
        {
            return add(.equals(ImportedText(JSONWriter().string(try json(value))), isJSON: true))
        }
        switch (word.name, values.first) {
        case ("eql", .number(let status)?), ("equal", .number(let status)?), ("eq", .number(let status)?),
            ("equals", .number(let status)?):
            if isStatus, !isNegated { return add(.status([status])) }
        case ("oneOf", .list(let list)?) where isStatus && !isNegated:
            let codes = list.compactMap { if case .number(let code) = $0 { code } else { nil } }
            if codes.count == list.count { return add(.status(codes)) }
        case ("below", .number(let limit)?), ("lessThan", .number(let limit)?), ("lt", .number(let limit)?),
            ("most", .number(let limit)?), ("lte", .number(let limit)?):
            if isTime, !isNegated, let time = Int(limit) { return add(.maxTime(time)) }
        case ("include", _), ("contain", _), ("includes", _), ("contains", _):
            // `expect([200, 201]).to.include(pm.response.code)`
            if case .list(let list) = subject, case .code(let text, _)? = values.first,
                text.literal == "response.status", !isNegated
            {
                let codes = list.compactMap { if case .number(let code) = $0 { code } else { nil } }
                if codes.count == list.count { return add(.status(codes)) }
            }
        default: break
        }
        let condition = try condition(word.name, subject, values)
        add(.condition(isNegated ? Self.negated(condition) : condition, message: message))
    }

    /// Returns the opposite of a condition.
    static func negated(_ condition: ImportedText) -> ImportedText {
        if let exists = condition.startsWith("!exists("), !condition.parts.contains(where: { "\($0)".contains(" ") }) {
            return ImportedText([.literal("exists(")] + exists.parts)
        }
        if let text = condition.literal, text.hasPrefix("length("), text.hasSuffix(") == 0") {
            return ImportedText("\(text.dropLast(" == 0".count)) > 0")
        }
        for (mark, opposite) in [(" == ", " != "), (" != ", " == ")] {
            guard let text = condition.literal,
                ![" && ", " || ", "[?", "not(", opposite].contains(where: text.contains),
                text.ranges(of: mark).count == 1
            else { continue }
            return ImportedText(text.replacing(mark, with: opposite))
        }
        if let text = condition.literal, text.hasSuffix(")"),
            ["exists(", "contains(", "startsWith(", "match(", "search("].contains(where: text.hasPrefix),
            !text.contains(" && "), !text.contains(" || ")
        {
            return ImportedText("!\(text)")
        }
        return call("not", [condition])
    }

    /// Returns the condition for a word and its arguments.
    private func condition(_ word: String, _ subject: ScriptValue, _ values: [ScriptValue]) throws(Untranslatable)
        -> ImportedText
    {
        func compared(_ mark: String) throws(Untranslatable) -> ImportedText {
            guard let value = values.first else { throw Untranslatable("'\(word)' has no argument") }
            return Self.joined(try code(subject), mark, try code(value))
        }
        switch word {
        case "eql", "equal", "equals", "eq", "eqls": return try compared("==")
        case "above", "greaterThan", "gt": return try compared(">")
        case "least", "gte", "greaterThanOrEqual": return try compared(">=")
        case "below", "lessThan", "lt": return try compared("<")
        case "most", "lte", "lessThanOrEqual": return try compared("<=")
        case "within" where values.count == 2:
            let first = Self.joined(try code(subject), ">=", try code(values[0]))
            return Self.joined(first, "&&", Self.joined(try code(subject), "<=", try code(values[1])))
        case "include", "includes", "contain", "contains", "string":
            guard let value = values.first else { throw Untranslatable("'\(word)' has no argument") }
            return try contains(subject, value)
        case "oneOf":
            guard let value = values.first else { throw Untranslatable("'\(word)' has no argument") }
            return Self.call("contains", [try code(value), try code(subject)])
        case "length", "lengthOf":
            guard let value = values.first else { throw Untranslatable("'\(word)' has no argument") }
            return Self.joined(try code(try member("length", of: subject)), "==", try code(value))
        case "property":
            guard case .string(let name)? = values.first else {
                throw Untranslatable("the name of a member is computed")
            }
            let path = try code(try member(name, of: subject))
            return values.count > 1 ? Self.joined(path, "==", try code(values[1])) : Self.call("exists", [path])
        case "exist": return Self.joined(Self.call("default", [try code(subject), "null"]), "!=", "null")
        case "true" where subject.isCondition: return try code(subject)
        case "true", "false", "null": return Self.joined(try code(subject), "==", ImportedText(word))
        case "undefined": return ImportedText([.literal("!")] + Self.call("exists", [try code(subject)]).parts)
        case "startWith", "startsWith", "endWith", "endsWith":
            guard let value = values.first else { throw Untranslatable("'\(word)' has no argument") }
            return Self.call(word.hasPrefix("s") ? "startsWith" : "endsWith", [try code(subject), try code(value)])
        case "ok": return Self.truth(of: try code(subject))
        case "empty": return Self.joined(Self.call("length", [try code(subject)]), "==", "0")
        case "a", "an":
            guard case .string(let type)? = values.first else { throw Untranslatable("the type is computed") }
            return try Self.typed(type.lowercased(), try code(subject))
        case "match":
            guard case .regex(let pattern)? = values.first else { throw Untranslatable("the pattern is computed") }
            return try matched(pattern, subject)
        default: throw Untranslatable("'\(word)' has no counterpart")
        }
    }

    /// The condition that a value has a type, which the first characters of its JSON show.
    static func typed(_ type: String, _ code: ImportedText) throws(Untranslatable) -> ImportedText {
        switch type {
        case "array": return call("startsWith", [call("json", [code]), "'['"])
        case "object": return call("startsWith", [call("json", [code]), "'{'"])
        case "string": return call("startsWith", [call("json", [code]), "'\"'"])
        case "boolean": return call("contains", ["list(true, false)", code])
        case "number": return call("match", [call("json", [code]), "'-?[0-9].*'"])
        default: throw Untranslatable("the type '\(type)' has no counterpart")
        }
    }

    private func matched(_ pattern: String, _ subject: ScriptValue) throws(Untranslatable) -> ImportedText {
        let value: ImportedText = if case .body = subject { "response.body" } else { try code(subject) }
        return try Self.matched(pattern, value)
    }

    /// The condition that a string matches a pattern, as an I-Regexp (RFC 9485).
    static func matched(_ pattern: String, _ value: ImportedText) throws(Untranslatable) -> ImportedText {
        var text = pattern
        let isAnchored = (text.hasPrefix("^"), text.hasSuffix("$") && !text.hasSuffix("\\$"))
        if isAnchored.0 { text.removeFirst() }
        if isAnchored.1 { text.removeLast() }
        for (escape, set) in [
            ("[\\s\\S]", "(.|\\n|\\r)"), ("\\d", "[0-9]"), ("\\w", "[A-Za-z0-9_]"), ("\\s", "[ \\t\\r\\n]"),
            ("\\/", "/"),
        ] {
            text = text.replacing(escape, with: set)
        }
        guard !text.contains("(?"), !text.contains("\\b"), !text.contains("^"), !text.contains("$"),
            !text.contains("[["), !text.contains("*?"), !text.contains("+?")
        else {
            throw Untranslatable("the pattern has no form as an I-Regexp")
        }
        let function = isAnchored.0 || isAnchored.1 ? "match" : "search"
        if function == "match" { text = (isAnchored.0 ? "" : ".*") + "(\(text))" + (isAnchored.1 ? "" : ".*") }
        return Self.call(function, [value, ImportedText(ManifestWriter.quoted(text))])
    }
}
