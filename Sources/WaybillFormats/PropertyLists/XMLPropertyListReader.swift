import WaybillJSON

/// Reads an XML property list, as defined by <http://www.apple.com/DTDs/PropertyList-1.0.dtd>.
struct XMLPropertyListReader {
    private var scanner: XMLScanner
    private let maximumDepth: Int

    init(_ bytes: [UInt8], maximumDepth: Int) {
        scanner = XMLScanner(bytes)
        self.maximumDepth = maximumDepth
    }

    /// Returns the value of the document.
    mutating func read() throws(PropertyListError) -> JSON {
        try scanner.skipProlog()
        let start = scanner.position
        guard !scanner.isAtEnd else { throw PropertyListError("the text contains no property list", at: start) }
        let root = try scanner.readTag()
        guard root.name == "plist", root.kind != .end else {
            throw PropertyListError("expected <plist>, found <\(root.name)>", at: root.offset)
        }
        guard root.kind == .start else { throw PropertyListError("the property list has no value", at: root.offset) }
        let tag = try scanner.readTag()
        if tag.kind == .end { throw PropertyListError("the property list has no value", at: tag.offset) }
        let value = try value(of: tag, depth: 0)
        try readEnd(of: root)
        try scanner.skipMiscellany()
        guard scanner.isAtEnd else {
            throw PropertyListError("unexpected content after </plist>", at: scanner.position)
        }
        return value
    }

    /// Returns the value of an element whose start tag has been read.
    private mutating func value(of tag: XMLScanner.Tag, depth: Int) throws(PropertyListError) -> JSON {
        switch tag.name {
        case "dict":
            guard depth < maximumDepth else { throw tooDeep(tag) }
            return .object(try members(of: tag, depth: depth + 1))
        case "array":
            guard depth < maximumDepth else { throw tooDeep(tag) }
            return .array(try elements(of: tag, depth: depth + 1))
        case "string": return .string(try text(of: tag))
        case "integer": return .number(try integer(of: tag))
        case "real": return .number(try real(of: tag))
        case "true", "false":
            guard try trimmedText(of: tag).isEmpty else {
                throw PropertyListError("the element <\(tag.name)> is not empty", at: tag.offset)
            }
            return .bool(tag.name == "true")
        case "date":
            let text = try trimmedText(of: tag)
            guard DateTimeFormat.isDateTime(text) else {
                throw PropertyListError("'\(text.excerpt(40))' is not a date like 2026-11-21T05:27:03Z", at: tag.offset)
            }
            return .string(text)
        case "data":
            let text = try text(of: tag).utf8.filter { !XMLScanner.isSpace($0) }
            guard let bytes = Base64.decode(String(decoding: text, as: UTF8.self)) else {
                throw PropertyListError("the data is not base64", at: tag.offset)
            }
            return .string(Base64.encode(bytes))
        default:
            throw PropertyListError("the element <\(tag.name)> is not allowed here", at: tag.offset)
        }
    }

    private mutating func elements(of tag: XMLScanner.Tag, depth: Int) throws(PropertyListError) -> [JSON] {
        var elements: [JSON] = []
        guard tag.kind == .start else { return elements }
        while true {
            let next = try readTag(in: tag)
            if next.kind == .end { return elements }
            elements.append(try value(of: next, depth: depth))
        }
    }

    private mutating func members(of tag: XMLScanner.Tag, depth: Int) throws(PropertyListError) -> JSONObject {
        var members = JSONObject()
        guard tag.kind == .start else { return members }
        while true {
            let key = try readTag(in: tag)
            if key.kind == .end { return members }
            guard key.name == "key" else {
                throw PropertyListError("expected <key>, found <\(key.name)>", at: key.offset)
            }
            let name = try text(of: key)
            let next = try readTag(in: tag)
            if next.kind == .end { throw PropertyListError("this <key> has no value", at: key.offset) }
            members[name] = try value(of: next, depth: depth)
        }
    }

    /// Reads the next tag in an element. An end tag must be that of the element.
    private mutating func readTag(in outer: XMLScanner.Tag) throws(PropertyListError) -> XMLScanner.Tag {
        try scanner.skipMiscellany()
        if scanner.isAtEnd { throw neverClosed(outer) }
        let tag = try scanner.readTag()
        guard tag.kind != .end || tag.name == outer.name else {
            throw PropertyListError("expected </\(outer.name)>, found </\(tag.name)>", at: tag.offset)
        }
        return tag
    }

    private mutating func readEnd(of outer: XMLScanner.Tag) throws(PropertyListError) {
        let tag = try readTag(in: outer)
        guard tag.kind == .end else {
            throw PropertyListError("expected </\(outer.name)>, found <\(tag.name)>", at: tag.offset)
        }
    }

    private mutating func text(of tag: XMLScanner.Tag) throws(PropertyListError) -> String {
        guard tag.kind == .start else { return "" }
        let text = try scanner.readText()
        if scanner.isAtEnd { throw neverClosed(tag) }
        try readEnd(of: tag)
        return text
    }

    private mutating func trimmedText(of tag: XMLScanner.Tag) throws(PropertyListError) -> String {
        let text = Array(try text(of: tag).utf8)
        let start = text.firstIndex { !XMLScanner.isSpace($0) } ?? text.count
        let end = text.lastIndex { !XMLScanner.isSpace($0) } ?? start - 1
        return String(decoding: text[start..<(end + 1)], as: UTF8.self)
    }

    private mutating func integer(of tag: XMLScanner.Tag) throws(PropertyListError) -> JSONNumber {
        let text = try trimmedText(of: tag)
        var digits = Substring(text)
        var sign = ""
        if digits.hasPrefix("-") || digits.hasPrefix("+") { sign = digits.removeFirst() == "-" ? "-" : "" }
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            let hexadecimal = digits.dropFirst(2)
            let value = hexadecimal.first?.isHexDigit == true ? UInt128(hexadecimal, radix: 16) : nil
            digits = value.map { Substring(String($0)) } ?? ""
        }
        let significant = digits.drop { $0 == "0" }
        digits = significant.isEmpty && !digits.isEmpty ? "0" : significant
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = JSONNumber(parsing: sign + digits)
        else { throw PropertyListError("'\(text.excerpt(40))' is not an integer", at: tag.offset) }
        return number
    }

    private mutating func real(of tag: XMLScanner.Tag) throws(PropertyListError) -> JSONNumber {
        let text = try trimmedText(of: tag)
        if let number = JSONNumber(parsing: text) { return number }
        let unsigned = text.hasPrefix("+") || text.hasPrefix("-") ? text.dropFirst() : Substring(text)
        if ["nan", "inf", "infinity"].contains(unsigned.lowercased()) { throw notFinite(tag, text) }
        guard unsigned.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }), let value = Double(text) else {
            throw PropertyListError("'\(text.excerpt(40))' is not a real number", at: tag.offset)
        }
        guard let number = JSONNumber(value) else { throw notFinite(tag, text) }
        return number
    }

    private func notFinite(_ tag: XMLScanner.Tag, _ text: String) -> PropertyListError {
        PropertyListError("'\(text.excerpt(40))' is not a number in JSON", at: tag.offset)
    }

    private func neverClosed(_ tag: XMLScanner.Tag) -> PropertyListError {
        PropertyListError("the element <\(tag.name)> is never closed", at: tag.offset)
    }

    private func tooDeep(_ tag: XMLScanner.Tag) -> PropertyListError {
        PropertyListError("arrays and dictionaries are nested more than \(maximumDepth) levels deep", at: tag.offset)
    }
}
