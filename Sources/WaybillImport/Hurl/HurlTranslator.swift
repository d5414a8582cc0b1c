import WaybillExpressions
import WaybillFormats

/// Translates the queries of an entry into expressions of the manifest language.
struct HurlTranslator {
    /// How the response is decoded.
    enum Decoding: String {
        case auto
        case text
        case bytes
    }

    /// The value of a query, or of one with filters.
    struct Value {
        enum Kind { case any, digest, bytes, decodedBytes, fields }

        var code: ImportedText
        var kind = Kind.any
        /// What may be missing, so that a negated predicate is met.
        var optional: ImportedText?
        /// What must exist before the filters are applied.
        var source: ImportedText?
        /// Whether it is a path that may select several values.
        var isList = false
        /// Whether it is a string that the user gives.
        var isInput = false

        /// The expression of one value.
        var single: ImportedText { isList ? "value(\(code))" : code }

        /// The expression of the number of values, elements or characters.
        var count: ImportedText { "\(isList ? "count" : "length")(\(code))" }
    }

    let decoding: Decoding
    /// Whether redirects are followed.
    let follows: Bool
    /// The variables that requests set, whose values have types.
    let typed: Set<String>
    /// The names that variables get instead of their own.
    let names: [String: String]
    /// The variables whose captures could not be imported.
    var lost: Set<String> = []
    /// The values that this response sets.
    var captured: [String: Value] = [:]

    /// The decoded JSON.
    private var root: String {
        switch decoding {
        case .auto: "$"
        case .text: "parse($)"
        case .bytes: "parse(string($))"
        }
    }

    /// The body as a string.
    var body: ImportedText { decoding == .bytes ? "string($)" : "$" }

    // MARK: Queries

    func value(of query: HurlQuery) throws(Untranslatable) -> Value {
        var value = try source(query.source)
        let source = value.optional
        for filter in query.filters { try apply(filter, to: &value) }
        value.source = source
        return value
    }

    private func source(_ query: HurlQuery.Call) throws(Untranslatable) -> Value {
        switch query.name {
        case "status": return Value(code: "response.status")
        case "duration": return Value(code: "response.time")
        case "url":
            return Value(code: follows ? "default(response.redirects[-1].url, request.url)" : "request.url")
        case "redirects": return Value(code: "response.redirects")
        case "body": return Value(code: body)
        case "bytes": return Value(code: "$", kind: .bytes)
        case "sha256", "md5": return Value(code: "\(query.name)($)", kind: .digest)
        case "header":
            let name = try constant(query.arguments[0])
            return Self.optional("response.headers[\(ManifestWriter.quoted(name))]", kind: .fields)
        case "cookie":
            var name = try constant(query.arguments[0])
            if name.hasSuffix("[Value]") { name.removeLast("[Value]".count) }
            guard !name.contains("[") else { throw Untranslatable("the attributes of cookies are not available") }
            return Self.optional(ImportedText(ScriptTranslator.path("response.cookies", name)))
        case "jsonpath": return try path(query.arguments[0], from: ImportedText(root))
        case "regex":
            return Self.optional("capture(\(body), \(try pattern(query.arguments[0], isCaptured: true)))")
        case "variable":
            let own = try constant(query.arguments[0])
            let name = names[own] ?? own
            var value = captured[name] ?? Self.optional(.ofVariable(name))
            value.isInput = captured[name] == nil && !typed.contains(name)
            return value
        case "xpath": throw Untranslatable("XML and HTML are not decoded")
        default: throw Untranslatable("the manifest language has no value for it")
        }
    }

    private static func optional(_ code: ImportedText, kind: Value.Kind = .any, isList: Bool = false) -> Value {
        Value(code: code, kind: kind, optional: code, isList: isList)
    }

    private func apply(_ filter: HurlQuery.Call, to value: inout Value) throws(Untranslatable) {
        let code = value.single
        func call(_ name: String, _ arguments: ImportedText...) -> Value {
            Value(code: ImportedText.call(name, [code] + arguments))
        }
        if value.kind == .digest {
            throw Untranslatable("'\(filter.name)' of it has no counterpart")
        }
        if value.kind == .fields, ["count", "first", "last", "nth"].contains(filter.name) {
            throw Untranslatable("fields with the same name are joined")
        }
        let result: Value
        switch filter.name {
        case "count":
            result = Value(code: value.count)
        case "first", "last": result = Self.optional("\(filter.name)(\(value.code))")
        case "nth":
            guard case .number(let index) = filter.arguments[0], Int(index) != nil else {
                throw Untranslatable("the index is computed")
            }
            result = Self.optional(value.isList ? "(\(value.code))[\(index)]" : "\(value.code)[\(index)]")
        case "location": result = Self.optional("\(code).url")
        case "jsonpath":
            result = try path(filter.arguments[0], from: "parse(\(code))")
        case "regex":
            result = Self.optional("capture(\(code), \(try pattern(filter.arguments[0], isCaptured: true)))")
        case "split": result = call("split", try self.code(filter.arguments[0]))
        case "replace":
            result = call("replace", try self.code(filter.arguments[0]), try self.code(filter.arguments[1]))
        case "toInt" where code.literal?.hasPrefix(root) ?? false:
            // A number may have decimals, which are dropped.
            result = Value(code: "number(first(split(string(\(code)), '.')))")
        case "toInt", "toFloat": result = call("number")
        case "toString": result = call("string")
        case "urlEncode":
            result = Value(code: "replace(urlencode(\(code)), '%2F', '/')")
        case "htmlEscape":
            let pairs = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")]
            result = Value(code: pairs.reduce(value.code) { "replace(\($0), '\($1.0)', '\($1.1)')" })
        case "base64Decode", "base64UrlSafeDecode":
            result = Value(code: "unbase64(\(code))", kind: .decodedBytes)
        case "base64Encode" where value.kind == .bytes || value.kind == .decodedBytes: result = call("base64")
        case "utf8Decode" where value.kind == .decodedBytes: result = Value(code: code)
        case "utf8Decode" where value.kind == .bytes: result = call("string")
        case "decode" where ["utf-8", "utf8"].contains(try constant(filter.arguments[0]).lowercased()):
            result = value.kind == .decodedBytes ? Value(code: code) : call("string")
        case "toDate":
            guard try constant(filter.arguments[0]) == "%+" else {
                throw Untranslatable("only dates in RFC 3339 format are read")
            }
            result = call("epoch")
        case "dateFormat", "format":
            let format = try constant(filter.arguments[0])
            guard format.split(separator: "%").allSatisfy({ "YmdHMS".contains($0.first ?? "Y") }) else {
                throw Untranslatable("the format has no counterpart")
            }
            result = call("date", .quoted(format))
        default: throw Untranslatable("the filter '\(filter.name)' has no counterpart")
        }
        value = result
    }

    // MARK: Paths

    /// The value that a JSONPath selects from an expression.
    private func path(_ argument: HurlLiteral, from root: ImportedText) throws(Untranslatable) -> Value {
        guard case .string(let text) = argument, case .literal(let start)? = text.parts.first, start.hasPrefix("$"),
            text.parts.count < 50, !Self.hasOperator(text)
        else { throw Untranslatable("it is not a path that starts with '$'") }
        let isSingular = Self.isSingular(text)
        guard isSingular || root.literal == "$" else {
            throw Untranslatable("it selects several values of JSON in a text")
        }
        var code = root
        for (index, part) in text.parts.enumerated() {
            if case .literal(let literal) = part {
                code.append(.literal(index == 0 ? String(literal.dropFirst()) : literal))
            } else {
                guard Self.endsInFilter(ImportedText(text.parts.prefix(index))) else {
                    throw Untranslatable("a part of the path is computed")
                }
                code.append(self.part(part))
            }
        }
        return Self.optional(Self.withoutQuotes(code), isList: !isSingular)
    }

    /// Whether a text has operators outside brackets, so that it is an expression of Waybill but no path.
    private static func hasOperator(_ text: ImportedText) -> Bool {
        var (depth, quote) = (0, nil as Unicode.Scalar?)
        for scalar in ManifestWriter.source(text).unicodeScalars {
            switch scalar {
            case "'", "\"": quote = quote == nil && depth > 0 ? scalar : quote == scalar ? nil : quote
            case "[" where quote == nil: depth += 1
            case "]" where quote == nil: depth -= 1
            case " ", "|", "&", "=", "<", ">", "!", "+", "/", "(", ")", ",": if depth == 0 { return true }
            default: break
            }
        }
        return false
    }

    /// Whether the end of a path is inside `[?…]`.
    private static func endsInFilter(_ path: ImportedText) -> Bool {
        let text = ManifestWriter.source(path)
        guard let open = text.ranges(of: "[?").last else { return false }
        let rest = text[open.upperBound...]
        return rest.count { $0 == "[" } >= rest.count { $0 == "]" }
    }

    /// Returns code in which `'{{name}}'` in quotes is the variable, as a string.
    private static func withoutQuotes(_ code: ImportedText) -> ImportedText {
        var parts = code.parts
        for index in parts.indices.dropFirst().dropLast() {
            guard case .literal(let before) = parts[index - 1], case .literal(let after) = parts[index + 1],
                let quote = before.last, quote == "'" || quote == "\"", after.first == quote
            else { continue }
            if case .literal = parts[index] { continue }
            parts[index - 1] = .literal(String(before.dropLast()) + "string(")
            parts[index + 1] = .literal(")" + after.dropFirst())
        }
        return ImportedText(parts)
    }

    /// Whether a path has members and indices only.
    static func isSingular(_ path: ImportedText) -> Bool {
        var quote: Character?
        var depth = 0
        let text = ManifestWriter.source(path)
        for character in text {
            if let mark = quote {
                if character == mark { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "[" || character == "]" {
                depth += character == "[" ? 1 : -1
            } else if character == "*" || depth > 0 && "?:,".contains(character) {
                return false
            }
        }
        return !text.contains("..")
    }

    // MARK: Constants

    /// A string without variables.
    func constant(_ literal: HurlLiteral) throws(Untranslatable) -> String {
        guard case .string(let text) = literal, let constant = text.literal else {
            throw Untranslatable("it is computed from a variable")
        }
        return constant
    }

    func pattern(_ literal: HurlLiteral, isCaptured: Bool = false) throws(Untranslatable) -> ImportedText {
        let text: String = if case .regex(let pattern) = literal { pattern } else { try constant(literal) }
        return .quoted(try IRegexp.pattern(text, isCaptured: isCaptured))
    }

    /// A constant as an expression.
    func code(_ literal: HurlLiteral) throws(Untranslatable) -> ImportedText {
        switch literal {
        case .null: return "null"
        case .boolean(let value): return value ? "true" : "false"
        case .number(let number): return ImportedText(number)
        case .string(let text): return string(text)
        case .template(let part): return self.part(part)
        case .bytes(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Untranslatable("the bytes are no UTF-8")
            }
            return .quoted(text)
        case .file, .regex: throw Untranslatable("a value of this kind is not compared")
        }
    }

    /// A string as an expression.
    func string(_ text: ImportedText) -> ImportedText {
        let parts = text.parts.map { part -> ImportedText in
            if case .literal(let literal) = part { return .quoted(literal) }
            return self.part(part)
        }
        guard parts.count == 1 else { return parts.isEmpty ? "''" : .call("concat", parts) }
        // A variable may have a number.
        guard case .variable(let name) = text.parts[0], captured[name] != nil || typed.contains(name) else {
            return parts[0]
        }
        return "string(\(parts[0]))"
    }

    /// The value of a part of a text.
    private func part(_ part: ImportedText.Part) -> ImportedText {
        if case .variable(let name) = part, let value = captured[name] { return value.single }
        return ImportedText([part])
    }

    /// Whether a constant is a variable that the user gives as a string.
    func isInput(_ literal: HurlLiteral) -> Bool {
        guard case .template(.variable(let name)) = literal else { return false }
        return captured[name] == nil && !typed.contains(name)
    }

    /// Checks that an expression is one of the manifest language.
    func check(_ code: ImportedText, isCondition: Bool) throws(Untranslatable) {
        if let name = code.variables.first(where: lost.contains) {
            throw Untranslatable("the variable '\(name)' is not captured")
        }
        let probe = code.parts.map { part in
            switch part {
            case .literal(let text), .expression(let text): text
            case .variable: "inputs.x"
            }
        }.joined()
        do throws(ExpressionSyntaxError) {
            let expression = try Expression(parsing: probe)
            if isCondition, let error = expression.checkCondition() { throw error }
        } catch {
            throw Untranslatable(error.message)
        }
    }
}
