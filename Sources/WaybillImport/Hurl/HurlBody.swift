import WaybillFormats
import WaybillJSON

/// The body of a request, or the one that a response must have.
enum HurlBody {
    case json(ImportedText)
    /// Text, and the type that Hurl sends with it.
    case text(ImportedText, contentType: String?)
    case graphQL(query: ImportedText, variables: ImportedText?)
    case bytes([UInt8])
    case file(ImportedText)
}

extension HurlCursor {
    /// Reads a body; nil if there is none.
    mutating func body() throws(HurlSyntaxError) -> HurlBody? {
        let start = position
        if has("```") { return try multiline() }
        if has("`") { return .text(try quoted("`"), contentType: nil) }
        if has("base64,") || has("hex,") { return .bytes(try encodedBytes()) }
        if has("file,") { return .file(try fileName()) }
        if has("<") { return .text(try xml(), contentType: "application/xml") }
        guard let next,
            "{[\"-0123456789".unicodeScalars.contains(next) || ["true", "false", "null"].contains(where: { has($0) })
        else { return nil }
        let text = try json()
        do throws(JSONSyntaxError) {
            _ = try JSONParser().parse(MarkedJSON(text).text.utf8)
        } catch {
            let offset = text.literal == nil ? start : min(start + error.offset, bytes.count)
            throw HurlSyntaxError("this is not JSON: \(error.message)", at: offset)
        }
        return .json(text)
    }

    /// Reads `file,NAME;`.
    mutating func fileName() throws(HurlSyntaxError) -> ImportedText {
        try expect("file,")
        skipSpaces()
        let name = try text(to: bytes.count, stoppingAt: ";\n")
        try expect(";")
        guard case .literal(let last)? = name.parts.last else { return name }
        return ImportedText(name.parts.dropLast() + [.literal(last.trimmingSpaces)])
    }

    /// Reads `hex,…;` or `base64,…;`.
    mutating func encodedBytes() throws(HurlSyntaxError) -> [UInt8] {
        let isHex = take("hex,")
        if !isHex { try expect("base64,") }
        let start = position
        guard let end = range(of: ";", from: start) else {
            throw HurlSyntaxError("expected ';' after the encoded bytes", at: start)
        }
        position = end.upperBound
        return try Self.decoded(bytes[start..<end.lowerBound], isHex: isHex, at: start)
    }

    private static func decoded(_ encoded: ArraySlice<UInt8>, isHex: Bool, at start: Int) throws(HurlSyntaxError)
        -> [UInt8]
    {
        let digits = String(decoding: encoded.filter { !" \t\r\n".utf8.contains($0) }, as: UTF8.self)
        let result =
            isHex
            ? hexBytes(digits) : Base64.decode(digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4))
        guard let result else {
            throw HurlSyntaxError("expected \(isHex ? "pairs of hex digits" : "Base64")", at: start)
        }
        return result
    }

    private static func hexBytes(_ digits: String) -> [UInt8]? {
        let values = digits.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard values.count % 2 == 0, !values.contains(nil) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8((values[$0] ?? 0) * 16 + (values[$0 + 1] ?? 0)) }
    }

    /// Reads a string between three backticks, with its language and flags.
    mutating func multiline() throws(HurlSyntaxError) -> HurlBody {
        let start = position
        try expect("```")
        guard let end = range(of: "```", from: position)?.lowerBound else {
            throw HurlSyntaxError("this string has no end", at: start)
        }
        let first = bytes[position..<end].firstIndex(of: UInt8(ascii: "\n"))
        var (language, flags) = ("", [Substring]())
        if let first {
            let line = String(decoding: bytes[position..<first], as: UTF8.self).trimmingSpaces
            let parts = line.split(separator: ",", omittingEmptySubsequences: false)
            language = parts.first.map { String($0).trimmingSpaces } ?? ""
            flags = parts.dropFirst().map { Substring(String($0).trimmingSpaces) }
            guard ["", "json", "xml", "graphql", "base64", "hex"].contains(language),
                flags.allSatisfy({ ["escape", "novariable"].contains($0) })
            else { throw HurlSyntaxError("'\(line)' is not a language of a string with several lines", at: position) }
            position = first + 1
        }
        defer { position = end + 3 }
        let value = bytes[position..<end]
        switch language {
        case "base64", "hex":
            return .bytes(try Self.decoded(value, isHex: language == "hex", at: position))
        case "graphql":
            let mark = Array("\nvariables".utf8)
            guard let split = value.firstRange(of: mark) else {
                return .graphQL(query: try text(to: end, escapes: false), variables: nil)
            }
            let query = try text(to: split.lowerBound + 1, escapes: false)
            position = split.upperBound
            skipSpaces()
            guard has("{"), case .json(let variables)? = try body() else {
                throw HurlSyntaxError("expected a JSON object after 'variables'", at: position)
            }
            return .graphQL(query: query, variables: variables)
        default:
            let hasTemplates = !flags.contains("novariable")
            let text = try text(to: end, escapes: flags.contains("escape"), templates: hasTemplates)
            let types = ["json": "application/json", "xml": "application/xml"]
            return .text(text, contentType: types[language])
        }
    }

    /// Reads a value of JSON with templates.
    private mutating func json() throws(HurlSyntaxError) -> ImportedText {
        let start = position
        var (depth, isInString) = (0, false)
        repeat {
            switch next {
            case nil: throw HurlSyntaxError("this JSON value has no end", at: start)
            case "\\" where isInString: position += 1
            case "\"": isInString.toggle()
            case _ where isInString: break
            case "{" where has("{{"):
                guard let close = range(of: "}}", from: position) else {
                    throw HurlSyntaxError("this template has no end", at: position)
                }
                position = close.upperBound - 1
            case "{", "[": depth += 1
            case "}", "]": depth -= 1
            case _ where depth == 0:
                // A number or a word.
                while let next = peek(1), !" \t\r\n#".unicodeScalars.contains(next) { position += 1 }
            default: break
            }
            advance()
        } while depth > 0 || isInString
        let end = position
        position = start
        return try text(to: end, escapes: false)
    }

    /// Reads an element of XML with what is before it.
    private mutating func xml() throws(HurlSyntaxError) -> ImportedText {
        let start = position
        var (end, depth) = (position, 0)
        let marks = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">"), ("<", ">")]
        while let open = range(of: "<", from: end)?.lowerBound,
            let (prefix, suffix) = marks.first(where: { has($0.0, at: open) }),
            let close = range(of: suffix, from: open)
        {
            end = close.upperBound
            guard prefix == "<" else { continue }
            if bytes[open + 1] == UInt8(ascii: "/") {
                depth -= 1
            } else if bytes[close.lowerBound - 1] != UInt8(ascii: "/") {
                depth += 1
            }
            guard depth > 0 else { return try text(to: end, escapes: false, templates: false) }
        }
        throw HurlSyntaxError("this XML element has no end", at: start)
    }
}
