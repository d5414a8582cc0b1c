import WaybillDiagnostics

/// A constant or a variable in an assertion.
enum HurlLiteral {
    case null
    case boolean(Bool)
    case number(String)
    case string(ImportedText)
    case bytes([UInt8])
    case file(ImportedText)
    case regex(String)
    /// `{{name}}`, whose type is that of the value.
    case template(ImportedText.Part)
}

/// A part of a response, such as `jsonpath "$.id"`, and the filters that change it.
struct HurlQuery {
    /// A filter or a query, with its arguments.
    struct Call {
        var name: String
        var arguments: [HurlLiteral] = []
    }

    var source: Call
    var filters: [Call] = []
}

/// A line of `[Asserts]`.
struct HurlAssertion {
    var query: HurlQuery
    var isNegated = false
    /// The name of the predicate: `==`, `contains`.
    var predicate: String
    var value: HurlLiteral?
    var span: SourceSpan
}

/// A line of `[Captures]`.
struct HurlCapture {
    var variable: ImportedText
    var query: HurlQuery
    var isRedacted: Bool
    var span: SourceSpan
}

/// What an entry says about its response.
struct HurlResponse {
    /// The version after `HTTP/`; nil if any is right.
    var version: String?
    /// The status; nil if any is right.
    var status: String?
    var headers: [(name: ImportedText, value: ImportedText)] = []
    var captures: [HurlCapture] = []
    var assertions: [HurlAssertion] = []
    var body: HurlBody?
    var span: SourceSpan?
}

extension HurlCursor {
    private static let queries: [String: Int] = [
        "status": 0, "version": 0, "url": 0, "ip": 0, "header": 1, "cookie": 1, "body": 0, "bytes": 0, "rawbytes": 0,
        "xpath": 1, "jsonpath": 1, "regex": 1, "variable": 1, "duration": 0, "sha256": 0, "md5": 0, "certificate": 1,
        "redirects": 0,
    ]

    private static let filters: [String: Int] = [
        "base64Decode": 0, "base64Encode": 0, "base64UrlSafeDecode": 0, "base64UrlSafeEncode": 0, "charsetDecode": 1,
        "count": 0, "daysAfterNow": 0, "daysBeforeNow": 0, "decode": 1, "first": 0, "format": 1, "dateFormat": 1,
        "htmlEscape": 0, "htmlUnescape": 0, "jsonpath": 1, "last": 0, "location": 0, "nth": 1, "regex": 1, "replace": 2,
        "replaceRegex": 2, "split": 1, "toDate": 1, "toFloat": 0, "toHex": 0, "toInt": 0, "toString": 0, "urlDecode": 0,
        "urlEncode": 0, "urlQueryParam": 1, "utf8Decode": 0, "utf8Encode": 0, "xpath": 1,
    ]

    /// The predicates, and whether a value follows.
    private static let predicates: [String: Bool] = [
        "equals": true, "notEquals": true, "greaterThan": true, "greaterThanOrEquals": true, "lessThan": true,
        "lessThanOrEquals": true, "countEquals": true, "startsWith": true, "endsWith": true, "contains": true,
        "includes": true, "matches": true, "exists": false, "isBoolean": false, "isCollection": false, "isDate": false,
        "isEmpty": false, "isFloat": false, "isInteger": false, "isIpv4": false, "isIpv6": false, "isIsoDate": false,
        "isList": false, "isNumber": false, "isObject": false, "isString": false, "isUuid": false,
    ]

    /// Reads a line of `[Asserts]`; nil if the section ends.
    mutating func assertion() throws(HurlSyntaxError) -> HurlAssertion? {
        let start = position
        guard let query = try query() else { return nil }
        skipSpaces()
        let isNegated = has("not ") || has("not\t")
        if isNegated { position += 3 }
        skipSpaces()
        let location = position
        let mark = ["==", "!=", ">=", "<=", ">", "<"].first { take($0) }
        let name = mark ?? word()
        guard mark != nil || Self.predicates[name] != nil else {
            throw HurlSyntaxError("expected a filter or a predicate such as '==' or 'contains'", at: location)
        }
        skipSpaces()
        let value = mark != nil || Self.predicates[name] == true ? try literal() : nil
        let span = file.span(start..<position)
        try endLine()
        return HurlAssertion(query: query, isNegated: isNegated, predicate: name, value: value, span: span)
    }

    /// Reads a line of `[Captures]`; nil if the section ends.
    mutating func capture() throws(HurlSyntaxError) -> HurlCapture? {
        let start = position
        guard let variable = try key() else { return nil }
        guard let query = try query() else {
            throw HurlSyntaxError("expected a query such as 'jsonpath' or 'header'", at: position)
        }
        skipSpaces()
        let isRedacted = take("redact")
        let span = file.span(start..<position)
        try endLine()
        return HurlCapture(variable: variable, query: query, isRedacted: isRedacted, span: span)
    }

    private mutating func query() throws(HurlSyntaxError) -> HurlQuery? {
        guard let source = try call(Self.queries) else { return nil }
        var query = HurlQuery(source: source)
        while true {
            let end = position
            skipSpaces()
            guard let filter = try call(Self.filters) else {
                position = end
                // The body as JSON.
                if source.name == "body", query.filters.first?.name == "jsonpath" {
                    query.source = query.filters.removeFirst()
                }
                return query
            }
            query.filters.append(filter)
        }
    }

    /// Reads one of some words, and its arguments.
    private mutating func call(_ known: [String: Int]) throws(HurlSyntaxError) -> HurlQuery.Call? {
        let start = position
        let name = word()
        guard let count = known[name] else {
            position = start
            return nil
        }
        var arguments: [HurlLiteral] = []
        for _ in 0..<count {
            skipSpaces()
            arguments.append(try literal())
        }
        return HurlQuery.Call(name: name, arguments: arguments)
    }

    private mutating func literal() throws(HurlSyntaxError) -> HurlLiteral {
        let start = position
        if has("```") {
            switch try multiline() {
            case .text(let text, _), .json(let text), .graphQL(let text, _): return .string(text)
            case .bytes(let bytes): return .bytes(bytes)
            case .file(let name): return .file(name)
            }
        }
        switch next {
        case "\"": return .string(try quoted())
        case "`": return .string(try quoted("`"))
        case "/": return .regex(try regex())
        case "{": return .template(try template())
        default: break
        }
        if has("hex,") || has("base64,") { return .bytes(try encodedBytes()) }
        if has("file,") { return .file(try fileName()) }
        let word = word(and: "+-.")
        switch word {
        case "null": return .null
        case "true", "false": return .boolean(word == "true")
        default:
            guard Double(word) != nil, word.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else {
                throw HurlSyntaxError("expected a value, such as a string in quotes or a number", at: start)
            }
            return .number(word)
        }
    }

    private mutating func regex() throws(HurlSyntaxError) -> String {
        let start = position
        try expect("/")
        while let next, next != "\n" {
            position += 1
            if next == "/" { return text(start + 1..<position - 1).replacing("\\/", with: "/") }
            if next == "\\" { advance() }
        }
        throw HurlSyntaxError("this pattern has no end", at: start)
    }
}
