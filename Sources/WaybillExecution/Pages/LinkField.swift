/// Reads Link fields (RFC 8288, section 3).
enum LinkField {
    /// Fields without a link to the next page, one of which is malformed, so that it may have been meant as one.
    struct Malformed: Error, Equatable {
        /// The first malformed field.
        let field: String
    }

    /// The target of the first link with the relation `next`, as it was written; `nil` without such a link. Throws without
    /// one if a field is malformed.
    static func next(in fields: [String]) throws(Malformed) -> String? {
        var malformed: Malformed?
        for field in fields {
            var parser = LinkParser(field)
            while let link = parser.link() {
                // Section 3.2: a link with an anchor does not belong to this response.
                if link.relations.contains("next"), !link.hasAnchor { return link.target }
            }
            if parser.isMalformed { malformed = malformed ?? Malformed(field: field) }
        }
        if let malformed { throw malformed }
        return nil
    }
}

/// Parses one field (RFC 8288, appendix B.2). A malformed part ends its link, but not the parsing.
private struct LinkParser {
    struct Link {
        var target: String
        var relations: [Substring] = []
        var hasAnchor = false
    }

    private var rest: Substring.UTF8View
    /// Whether something before the current position is not a link.
    private(set) var isMalformed = false

    init(_ text: String) {
        rest = text[...].utf8
    }

    mutating func link() -> Link? {
        rest = rest.drop { Self.isSpace($0) || $0 == UInt8(ascii: ",") }
        if rest.isEmpty { return nil }
        if rest.first != UInt8(ascii: "<") { isMalformed = true }
        guard let start = rest.firstIndex(of: UInt8(ascii: "<")) else { return nil }
        rest = rest[rest.index(after: start)...]
        guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
            isMalformed = true
            return nil
        }
        var link = Link(target: String(Substring(rest[..<end])))
        rest = rest[rest.index(after: end)...]
        var hasRelation = false
        while let (name, value) = parameter() {
            switch name.lowercased() {
            case "rel" where !hasRelation:
                // Section 3.3: further `rel` parameters are ignored.
                hasRelation = true
                link.relations = value.lowercased().split { $0 == " " || $0 == "\t" }
            // An empty reference is to the response itself (RFC 3986, section 4.4).
            case "anchor": link.hasAnchor = !value.isEmpty
            default: break
            }
        }
        return link
    }

    /// Returns the next parameter of a link; `nil` at its end.
    private mutating func parameter() -> (name: String, value: String)? {
        skipSpace()
        guard rest.first == UInt8(ascii: ";") else {
            if let byte = rest.first, byte != UInt8(ascii: ",") { isMalformed = true }
            // Skips the rest of a malformed link, up to the next one.
            rest = rest.drop { $0 != UInt8(ascii: ",") }
            return nil
        }
        rest.removeFirst()
        skipSpace()
        let name = take { $0 != UInt8(ascii: "=") && !Self.endsParameter($0) && !Self.isSpace($0) }
        noteMalformed(name)
        skipSpace()
        guard rest.first == UInt8(ascii: "=") else { return (name, "") }
        rest.removeFirst()
        skipSpace()
        guard rest.first == UInt8(ascii: "\"") else {
            let value = take { !Self.endsParameter($0) && !Self.isSpace($0) }
            noteMalformed(value)
            return (name, value)
        }
        return (name, quoted())
    }

    /// Notes that a name or an unquoted value has bytes that show that something else was meant, such as the next link, or
    /// quotes of a text editor.
    private mutating func noteMalformed(_ part: String) {
        if part.utf8.contains(where: { $0 >= 0x7F || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }) {
            isMalformed = true
        }
    }

    private mutating func quoted() -> String {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while true {
            var byte = rest.popFirst()
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") { byte = rest.popFirst() }
            guard let byte else {
                isMalformed = true
                break
            }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func take(while condition: (UInt8) -> Bool) -> String {
        let part = rest.prefix(while: condition)
        rest = rest[part.endIndex...]
        return String(Substring(part))
    }

    private mutating func skipSpace() {
        rest = rest.drop(while: Self.isSpace)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func endsParameter(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",") }
}
