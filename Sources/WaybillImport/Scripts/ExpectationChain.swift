import WaybillJSON

/// A sentence of Chai such as `pm.expect(x).to.be.above(3)` or `pm.response.to.have.status(200)`.
struct ExpectationChain {
    /// A word, with its arguments if it is called.
    struct Word {
        var name: String
        var arguments: [ScriptExpression]?
        /// Whether `not` is before it.
        var isNegated = false
        /// Whether `deep` is before it, or it compares what lists and objects contain anyway.
        var isDeep = false
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
        var (isNegated, isDeep) = (false, false)
        self.words = words.reversed().compactMap { word in
            if word.name == "not" { isNegated = true }
            if word.name == "deep" || word.name.hasPrefix("eql") { isDeep = true }
            guard word.name != "not", word.arguments != nil || !Self.connecting.contains(word.name) else { return nil }
            return Word(name: word.name, arguments: word.arguments, isNegated: isNegated, isDeep: isDeep)
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
        "serverError": ["5xx"], "error": ["4xx", "5xx"], "accepted": ["202"], "badRequest": ["400"],
        "unauthorized": ["401"], "forbidden": ["403"], "notFound": ["404"], "rateLimited": ["429"],
    ]
    private static let reasons: [String: String] = [
        "OK": "200", "Created": "201", "Accepted": "202", "No Content": "204", "Moved Permanently": "301",
        "Found": "302", "Not Modified": "304", "Bad Request": "400", "Unauthorized": "401", "Forbidden": "403",
        "Not Found": "404", "Conflict": "409", "Unprocessable Entity": "422", "Too Many Requests": "429",
        "Internal Server Error": "500",
    ]

    private mutating func addResponse(_ word: ExpectationChain.Word, _ isNegated: Bool, _ message: String?)
        throws(Untranslatable)
    {
        let values = try values(of: word.arguments ?? [])
        if let codes = try Self.codes(word.name, values.first) {
            guard isNegated else { return try add(.status(codes)) }
            let condition = Self.negated(ImportedText(ImportedCheck.condition(status: codes)))
            return try add(.condition(condition, message: message))
        }
        switch (word.name, values.first, values.dropFirst().first) {
        case ("json", nil, _) where !isNegated, ("jsonBody", nil, _) where !isNegated:
            return try add(.header(name: "Content-Type", glob: "*json*"))
        case ("header", .string(let name)?, .string(let value)?) where !isNegated && !value.isGlob:
            return try add(.header(name: name, glob: value))
        default: break
        }
        let condition = try responseCondition(word.name, values)
        try add(.condition(isNegated ? Self.negated(condition) : condition, message: message))
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
        let subject: ImportedText
        switch (word, values.first) {
        case ("header", .string(let name)?): subject = try code(.header(name))
        case ("withBody", nil), ("body", nil): return "default(response.body, '') != ''"
        case ("body", .string?): return Self.joined("response.body", "==", try code(values[0]))
        case ("jsonBody", .string(let path)?):
            guard path.split(separator: ".").allSatisfy({ NameForms.kept(String($0)) == String($0) }) else {
                throw Untranslatable("the path '\(path)' has another form")
            }
            subject = "$.\(path)"
        default: throw Untranslatable("'\(word)' of the response has no counterpart")
        }
        return values.count > 1 ? Self.joined(subject, "==", try code(values[1])) : "exists(\(subject))"
    }

    // MARK: Values

    /// The words that compare the subject with a value.
    private static let comparisons = [
        "eql": "==", "equal": "==", "equals": "==", "eq": "==", "eqls": "==", "above": ">", "greaterThan": ">",
        "gt": ">", "least": ">=", "gte": ">=", "greaterThanOrEqual": ">=", "below": "<", "lessThan": "<", "lt": "<",
        "most": "<=", "lte": "<=", "lessThanOrEqual": "<=",
    ]
    private static let inclusions: Set<String> = ["include", "includes", "contain", "contains", "string"]

    private mutating func add(
        _ word: ExpectationChain.Word,
        _ subject: ScriptValue,
        _ isNegated: Bool,
        _ message: String?
    ) throws(Untranslatable) {
        var word = word
        // Only what is missing is undefined, not null.
        if Self.comparisons[word.name] == "==", word.arguments == [.name("undefined")] {
            (word.name, word.arguments) = ("undefined", nil)
        }
        let values = try values(of: word.arguments ?? [])
        let (isEquality, isInclusion) = (Self.comparisons[word.name] == "==", Self.inclusions.contains(word.name))
        if !word.isDeep,
            isEquality && subject.isCreated
                || (isEquality || isInclusion || word.name == "property")
                    && values.last?.isCreated ?? false
                || ([subject] + values).contains(where: \.containsCreated)
        {
            throw isInclusion ? Untranslatable("it compares a new list or object, or only some members") : Self.identity
        }
        // What is simpler as another expectation.
        if !isNegated, let check = try check(word, subject, values) { return try add(check) }
        if isEquality, let value = values.first, try code(value) == code(subject) { throw Self.constant }
        let condition = try condition(word.name, subject, values)
        try add(.condition(isNegated ? Self.negated(condition) : condition, message: message))
    }

    /// Returns the expectation of the status, the time or the whole body that a word is; nil for another condition.
    private func check(_ word: ExpectationChain.Word, _ subject: ScriptValue, _ values: [ScriptValue])
        throws(Untranslatable) -> ImportedCheck?
    {
        let mark = Self.comparisons[word.name]
        if case .data("$") = subject, mark == "==", guards.isEmpty, case .object? = word.arguments?.first,
            let value = word.arguments?.first
        {
            return .equals(ImportedText(JSONWriter().string(try json(value))), isJSON: true)
        }
        switch (subject, values.first) {
        case (.code("response.status", _), .number(let status)?) where mark == "==": return .status([status])
        case (.code("response.time", _), .number(let limit)?) where mark == "<" || mark == "<=":
            return Int(limit).map { .maxTime($0) }
        case (.code("response.status", _), .list(let list)?) where word.name == "oneOf",
            // `expect([200, 201]).to.include(pm.response.code)`
            (.list(let list), .code("response.status", _)?) where Self.inclusions.contains(word.name):
            let codes = list.compactMap { if case .number(let code) = $0 { code } else { nil } }
            return codes.count == list.count ? .status(codes) : nil
        default: return nil
        }
    }

    /// Returns the opposite of a condition.
    static func negated(_ condition: ImportedText) -> ImportedText {
        if let exists = condition.startsWith("!exists("), !condition.parts.contains(where: { "\($0)".contains(" ") }) {
            return "exists(\(exists)"
        }
        guard let text = condition.literal else { return "not(\(condition))" }
        if text.hasPrefix("length("), text.hasSuffix(") == 0") { return "\(text.dropLast(" == 0".count)) > 0" }
        for (mark, opposite) in [(" == ", " != "), (" != ", " == ")]
        where ![" && ", " || ", "[?", "not(", opposite].contains(where: text.contains)
            && text.ranges(of: mark).count == 1
        {
            return ImportedText(text.replacing(mark, with: opposite))
        }
        let isCall = ["exists(", "contains(", "startsWith(", "match(", "search("].contains(where: text.hasPrefix)
        return isCall && text.hasSuffix(")") && !text.contains(" && ") && !text.contains(" || ")
            ? "!\(text)" : "not(\(text))"
    }

    /// Returns the condition for a word and its arguments.
    private func condition(_ word: String, _ subject: ScriptValue, _ values: [ScriptValue]) throws(Untranslatable)
        -> ImportedText
    {
        func argument() throws(Untranslatable) -> ScriptValue {
            guard let value = values.first else { throw Untranslatable("'\(word)' has no argument") }
            return value
        }
        if let mark = Self.comparisons[word] { return Self.joined(try code(subject), mark, try code(try argument())) }
        if Self.inclusions.contains(word) { return try contains(subject, try argument()) }
        switch word {
        case "within" where values.count == 2:
            let subject = try code(subject)
            let first = Self.joined(subject, ">=", try code(values[0]))
            return Self.joined(first, "&&", Self.joined(subject, "<=", try code(values[1])))
        case "oneOf": return "contains(\(try code(try argument())), \(try code(subject)))"
        case "length", "lengthOf":
            return Self.joined(try code(try member("length", of: subject)), "==", try code(try argument()))
        case "property":
            guard case .string(let name)? = values.first else {
                throw Untranslatable("the name of a member is computed")
            }
            let path = try code(try member(name, of: subject))
            return values.count > 1 ? Self.joined(path, "==", try code(values[1])) : "exists(\(path))"
        case "exist": return "default(\(try code(subject)), null) != null"
        case "true" where subject.isCondition: return try code(subject)
        case "true", "false", "null": return Self.joined(try code(subject), "==", ImportedText(word))
        case "undefined": return "!exists(\(try code(subject)))"
        case "startWith", "startsWith": return "startsWith(\(try code(subject)), \(try code(try argument())))"
        case "endWith", "endsWith": return "endsWith(\(try code(subject)), \(try code(try argument())))"
        case "ok": return Self.truth(of: try code(subject))
        case "empty": return "length(\(try code(subject))) == 0"
        case "a", "an":
            guard case .string(let type)? = values.first else { throw Untranslatable("the type is computed") }
            return try Self.typed(type.lowercased(), try code(subject))
        case "match":
            guard case .regex(let pattern)? = values.first else { throw Untranslatable("the pattern is computed") }
            return try IRegexp.condition(pattern, try code(subject))
        default: throw Untranslatable("'\(word)' has no counterpart")
        }
    }

    /// The condition that a value has a type, which the first characters of its JSON show.
    static func typed(_ type: String, _ code: ImportedText) throws(Untranslatable) -> ImportedText {
        switch type {
        case "array": return "startsWith(json(\(code)), '[')"
        case "object": return "startsWith(json(\(code)), '{')"
        case "string": return "startsWith(json(\(code)), '\"')"
        case "boolean": return "contains(list(true, false), \(code))"
        case "number": return "match(json(\(code)), '-?[0-9].*')"
        default: throw Untranslatable("the type '\(type)' has no counterpart")
        }
    }
}

extension String {
    /// Whether the string has characters that mean something else in a glob.
    var isGlob: Bool { contains { "*?[\\".contains($0) } }
}
