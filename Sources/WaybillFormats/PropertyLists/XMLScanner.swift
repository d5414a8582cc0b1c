import WaybillJSON

/// Scans the subset of XML that property lists use.
///
/// The result has no attributes, custom entities or namespaces; comments and processing instructions are skipped.
/// Nothing here is recursive, and each byte is read a bounded number of times.
struct XMLScanner {
    /// A tag.
    struct Tag: Equatable {
        let name: String
        let kind: Kind
        let offset: Int

        enum Kind {
            case start, end, empty
        }
    }

    private let bytes: [UInt8]
    private(set) var position = 0
    private var limit = WorkLimit.Check()

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    /// Skips what may come before the first element: a byte order mark, the XML declaration, a document type.
    mutating func skipProlog() throws(PropertyListError) {
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            throw PropertyListError("the text is in UTF-16; only UTF-8 is supported", at: 0)
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        if isNext("<?xml") { try checkEncoding() }
        try skipMiscellany()
        if isNext("<!DOCTYPE") { try skipDocumentType() }
        try skipMiscellany()
    }

    /// Skips white space, comments and processing instructions.
    mutating func skipMiscellany() throws(PropertyListError) {
        while position < bytes.count {
            if Self.isSpace(bytes[position]) {
                position += 1
            } else if isNext("<!--") {
                try skip(past: "-->", "this comment is never closed")
            } else if isNext("<?") {
                try skip(past: "?>", "this processing instruction is never closed")
            } else {
                return
            }
        }
    }

    /// Reads the next tag. Only white space and comments may come before it.
    mutating func readTag() throws(PropertyListError) -> Tag {
        try skipMiscellany()
        let start = position
        try checkLimit()
        guard position < bytes.count else { throw PropertyListError("the text ends too early", at: start) }
        guard bytes[position] == UInt8(ascii: "<") else {
            throw PropertyListError("unexpected text between elements", at: start)
        }
        position += 1
        let isEnd = isNext("/")
        if isEnd { position += 1 }
        let nameStart = position
        while position < bytes.count, Self.isNamePart(bytes[position]) { position += 1 }
        guard position > nameStart else { throw PropertyListError("expected a tag", at: start) }
        let name = String(decoding: bytes[nameStart..<position], as: UTF8.self)
        if !isEnd { try skipAttributes() }
        skipSpace()
        let isEmpty = !isEnd && isNext("/")
        if isEmpty { position += 1 }
        guard isNext(">") else { throw PropertyListError("the tag <\(name)> is never closed", at: start) }
        position += 1
        return Tag(name: name, kind: isEnd ? .end : isEmpty ? .empty : .start, offset: start)
    }

    /// Reads the text up to the next tag, with references resolved and line breaks converted to LF (XML 1.0, section
    /// 2.11).
    mutating func readText() throws(PropertyListError) -> String {
        let start = position
        var text: [UInt8] = []
        scan: while position < bytes.count {
            try checkLimit()
            switch bytes[position] {
            case UInt8(ascii: "<"):
                if isNext("<!--") {
                    try skip(past: "-->", "this comment is never closed")
                } else if isNext("<?") {
                    try skip(past: "?>", "this processing instruction is never closed")
                } else if isNext("<![CDATA[") {
                    let contents = position + 9
                    try skip(past: "]]>", "this CDATA section is never closed")
                    try append(contents..<position - 3, to: &text)
                } else {
                    break scan
                }
            case UInt8(ascii: "&"):
                try text.append(contentsOf: UTF8.encode(readReference()) ?? UTF8.encodedReplacementCharacter)
            default:
                let end = bytes[position...].firstIndex { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }
                let run = position..<(end ?? bytes.count)
                try append(run, to: &text)
                position = run.upperBound
            }
        }
        guard let string = String(validating: text, as: UTF8.self) else {
            let fault = bytes.span.extracting(start..<position).firstInvalidByte ?? 0
            throw PropertyListError("the text is not valid UTF-8", at: start + fault)
        }
        return string
    }

    private func append(_ range: Range<Int>, to text: inout [UInt8]) throws(PropertyListError) {
        var followsCarriageReturn = false
        for index in range {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\r"): text.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "\n") where followsCarriageReturn: break
            case UInt8(ascii: "\n"), UInt8(ascii: "\t"), 0x20...: text.append(byte)
            default: throw PropertyListError("the text contains a control character that XML does not allow", at: index)
            }
            followsCarriageReturn = byte == UInt8(ascii: "\r")
        }
    }

    /// Reads one of the five entities of XML, or a reference to a character (XML 1.0, sections 4.1 and 4.6).
    private mutating func readReference() throws(PropertyListError) -> Unicode.Scalar {
        let start = position
        let longest = 16
        guard let end = bytes[start...].prefix(longest).firstIndex(of: UInt8(ascii: ";")) else {
            throw PropertyListError("a literal & must be written as &amp;", at: start)
        }
        let name = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
        position = end + 1
        let entities: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        if let scalar = entities[name] { return scalar }
        guard name.utf8.first == UInt8(ascii: "#") else {
            throw PropertyListError("unknown entity &\(name);", at: start)
        }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.utf8.first != UInt8(ascii: "+"), let code = UInt32(digits, radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(code), Self.isCharacter(scalar)
        else { throw PropertyListError("&\(name); is not a valid XML character", at: start) }
        return scalar
    }

    /// Whether XML allows a character (XML 1.0, section 2.2).
    static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xFFFD, 0x10000...: true
        default: false
        }
    }
}

extension XMLScanner {
    private func isNext(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func checkLimit() throws(PropertyListError) {
        if limit.isReached(at: position) { throw PropertyListError(WorkLimit.message, at: position) }
    }

    private mutating func skip(past end: String, _ message: String) throws(PropertyListError) {
        let start = position
        while position < bytes.count {
            try checkLimit()
            if isNext(end) {
                position += end.utf8.count
                return
            }
            position += 1
        }
        throw PropertyListError(message, at: start)
    }

    private mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    /// Skips the attributes of a tag, which have no meaning: `<plist>` has its version there.
    private mutating func skipAttributes() throws(PropertyListError) {
        while position < bytes.count, Self.isSpace(bytes[position]) {
            skipSpace()
            let start = position
            while position < bytes.count, Self.isNamePart(bytes[position]) { position += 1 }
            if position == start { return }
            skipSpace()
            guard isNext("=") else { throw PropertyListError("an attribute has no value", at: start) }
            position += 1
            skipSpace()
            try skipQuoted()
        }
    }

    private mutating func skipQuoted() throws(PropertyListError) {
        let start = position
        guard isNext("\"") || isNext("'") else { throw PropertyListError("expected a quote", at: start) }
        guard let end = bytes[(start + 1)...].firstIndex(of: bytes[start]) else {
            throw PropertyListError("this quote is never closed", at: start)
        }
        position = end + 1
    }

    private mutating func checkEncoding() throws(PropertyListError) {
        let start = position
        try skip(past: "?>", "the XML declaration is never closed")
        // The declaration alternates names and values: <?xml version="1.0" encoding="UTF-8" standalone="yes"?>.
        let isQuote = { (byte: UInt8) in byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
        let parts = bytes[start..<position].split(omittingEmptySubsequences: false, whereSeparator: isQuote)
        for (index, part) in parts.enumerated() where index.isMultiple(of: 2) && index + 1 < parts.count {
            let name = part.filter { !Self.isSpace($0) && $0 != UInt8(ascii: "=") }
            guard name == Array("encoding".utf8) else { continue }
            let encoding = String(decoding: parts[index + 1].prefix(40), as: UTF8.self).lowercased()
            guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(encoding) else {
                throw PropertyListError("the text is in the encoding '\(encoding)'; only UTF-8 is supported", at: start)
            }
        }
    }

    private mutating func skipDocumentType() throws(PropertyListError) {
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: ">"):
                position += 1
                return
            case UInt8(ascii: "\""), UInt8(ascii: "'"): try skipQuoted()
            case UInt8(ascii: "["):
                throw PropertyListError("a document type with its own DTD is not supported", at: position)
            default: position += 1
            }
        }
        throw PropertyListError("the document type is never closed", at: start)
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\n")
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."), 0x80...:
            true
        default: false
        }
    }
}
