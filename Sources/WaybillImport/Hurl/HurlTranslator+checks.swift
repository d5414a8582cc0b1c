import WaybillFormats
import WaybillJSON

extension HurlTranslator {
    /// The condition of an assertion.
    struct Condition {
        var code: ImportedText
        /// What must exist before the condition can be evaluated; nil if it exists, or if the condition tests that.
        var needed: ImportedText?

        /// The condition for a response that is not yet what is expected.
        var polled: ImportedText {
            guard let needed, needed != code else { return code }
            return ScriptTranslator.joined("exists(\(needed))", "&&", code)
        }
    }

    /// Returns the condition of an assertion.
    func condition(_ assertion: HurlAssertion) throws(Untranslatable) -> Condition {
        let value = try value(of: assertion.query)
        var result = Condition(code: try test(assertion, value), needed: value.source)
        if assertion.predicate == "exists" {
            guard !value.isInput else { throw Untranslatable("an input always exists") }
            result.needed = nil
        }
        if assertion.isNegated, let optional = value.optional, assertion.predicate != "exists" {
            // What is missing meets each negated predicate.
            result = Condition(code: ScriptTranslator.joined("!exists(\(optional))", "||", result.code))
        }
        try check(result.code, isCondition: true)
        return result
    }

    private static let marks = [
        "equals": "==", "notEquals": "!=", "greaterThan": ">", "greaterThanOrEquals": ">=", "lessThan": "<",
        "lessThanOrEquals": "<=",
    ]
    private static let opposites = ["==": "!=", "!=": "==", ">": "<=", ">=": "<", "<": ">=", "<=": ">"]

    private func test(_ assertion: HurlAssertion, _ value: Value) throws(Untranslatable) -> ImportedText {
        let name = assertion.predicate
        let mark = Self.marks[name] ?? name
        if let opposite = Self.opposites[mark], let expected = assertion.value {
            return try comparison(value, assertion.isNegated ? opposite : mark, expected)
        }
        guard value.kind == .any || value.kind == .fields || name == "exists" else {
            guard [.bytes, .decodedBytes].contains(value.kind), ["startsWith", "endsWith", "contains"].contains(name),
                let expected = assertion.value
            else { throw Untranslatable("'\(name)' of it has no counterpart") }
            let text: ImportedText = value.kind == .bytes ? "string(\(value.code))" : value.code
            return "\(assertion.isNegated ? "!" : "")\(name)(\(text), \(try code(expected)))"
        }
        if name == "countEquals", let expected = assertion.value {
            return "\(value.count) \(assertion.isNegated ? "!=" : "==") \(try code(expected))"
        }
        if name == "isEmpty" {
            if value.code == body, decoding == .text {
                return "default($, '') \(assertion.isNegated ? "!=" : "==") ''"
            }
            return "\(value.count) \(assertion.isNegated ? ">" : "==") 0"
        }
        let test = try predicate(name, value, assertion.value)
        return assertion.isNegated ? "!\(test)" : test
    }

    private func comparison(_ value: Value, _ mark: String, _ expected: HurlLiteral) throws(Untranslatable)
        -> ImportedText
    {
        let isEquality = mark == "==" || mark == "!="
        switch (value.kind, expected) {
        case (.digest, .bytes(let bytes)) where isEquality:
            let digits = bytes.map { String(String(UInt16($0) + 256, radix: 16).dropFirst()) }.joined()
            return "\(value.code) \(mark) '\(digits)'"
        case (.digest, _): throw Untranslatable("a digest is compared with bytes only")
        case (.bytes, .bytes(let bytes)) where isEquality:
            return "base64(\(value.code)) \(mark) '\(Base64.encode(bytes))'"
        case (.bytes, .file(let name)) where isEquality:
            let (path, isMoved) = FileReference.inside(try constant(.string(name)))
            guard !isMoved else { throw Untranslatable("the file is outside of the folder of the manifest") }
            return "\(value.code) \(mark) bytes(\(ManifestWriter.quoted(path)))"
        case (.bytes, _): throw Untranslatable("bytes are compared with bytes only")
        case (.decodedBytes, .bytes) where isEquality: break
        case (.decodedBytes, _), (_, .bytes): throw Untranslatable("a value is never equal to one of another type")
        case (_, .string(let text)) where text.isEmpty && value.code == body && decoding == .text:
            // A response without content has no data.
            return "default($, '') \(mark) ''"
        default: break
        }
        var code = try code(expected)
        if value.isInput {
            switch expected {
            case .number, .boolean: code = "'\(code)'"
            case .null: throw Untranslatable("an input is a string")
            default: break
            }
        }
        guard isInput(expected), !value.isInput else { return "\(value.single) \(mark) \(code)" }
        // The user gives the value as a string.
        return isEquality
            ? "string(\(value.single)) \(mark) \(code)" : "\(value.single) \(mark) number(\(code))"
    }

    /// The patterns of strings that predicates know.
    private static let forms = [
        "isUuid": "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
        "isIpv4": "((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\\.){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])",
        "isIsoDate": "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt ]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
            + "(\\.[0-9]+)?([Zz]|[+\\-]([01][0-9]|2[0-3]):[0-5][0-9])",
    ]

    /// The predicates of types, and their names in Chai.
    private static let types = [
        "isBoolean": "boolean", "isList": "array", "isNumber": "number", "isObject": "object", "isString": "string",
    ]

    private func predicate(_ name: String, _ value: Value, _ expected: HurlLiteral?) throws(Untranslatable)
        -> ImportedText
    {
        if value.kind == .fields, name == "isCollection" || name == "isList" {
            throw Untranslatable("fields with the same name are joined")
        }
        let json: ImportedText = "json(\(value.single))"
        switch (name, expected) {
        case ("exists", _): return "exists(\(value.optional == nil ? value.single : value.code))"
        case ("startsWith", let expected?), ("endsWith", let expected?):
            return "\(name)(\(value.single), \(try code(expected)))"
        case ("contains", let expected?), ("includes", let expected?):
            return "contains(\(value.code), \(try code(expected)))"
        case ("matches", let expected?):
            return "search(\(value.single), \(try pattern(expected)))"
        case ("isInteger", _): return "match(\(json), '-?[0-9]+')"
        case ("isFloat", _): return "match(\(json), '-?[0-9]+[.eE].*')"
        case ("isCollection", _): return "search(\(json), '^[\\\\[{]')"
        default: break
        }
        if let type = Self.types[name] { return try ScriptTranslator.typed(type, value.single) }
        guard let form = Self.forms[name] else { throw Untranslatable("the predicate '\(name)' has no counterpart") }
        return "match(\(value.single), \(ManifestWriter.quoted(form)))"
    }

    /// The expectation for an assertion that has a simpler form than a condition.
    func expectation(_ assertion: HurlAssertion) -> ImportedCheck? {
        guard assertion.query.filters.isEmpty, !assertion.isNegated else { return nil }
        let mark = Self.marks[assertion.predicate] ?? assertion.predicate
        switch (assertion.query.source.name, mark, assertion.value) {
        case ("status", "==", .number(let code)?) where HurlResponse.isStatus(code): return .status([code])
        case ("duration", "<", .number(let limit)?), ("duration", "<=", .number(let limit)?):
            return Int(limit).map { .maxTime($0) }
        case ("header", "==", .string(let text)?):
            guard let name = try? constant(assertion.query.source.arguments[0]), let value = text.literal,
                name.isToken, name.lowercased() != "set-cookie", !value.isGlob
            else { return nil }
            return .header(name: name, glob: value)
        default: return nil
        }
    }
}

extension HurlResponse {
    /// Whether a text is a status code that a response may have.
    static func isStatus(_ code: String) -> Bool { Int(code).map { 200...599 ~= $0 } ?? false && code.utf8.count == 3 }
}
