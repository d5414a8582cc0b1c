import WaybillJSON

/// A text with its escapes decoded, and the locations of its parts in the original text.
struct Unescaped {
    /// A way of escaping characters.
    enum Escapes: CaseIterable {
        /// `%2F`, in either case (RFC 3986, section 2.1).
        case percent
        /// `\"`, `\n`, `\u00e9` (RFC 8259, section 7).
        case json
        /// `&amp;`, `&#39;`, `&#x27;`, `&eacute;` (HTML, section 13.5; of the names, those of XML and of ISO-8859-1, and
        /// `euro`).
        case html
        /// `~0` for `~` and `~1` for `/` in a JSON pointer (RFC 6901, section 3).
        case pointer
        /// A line break between Base64 characters, with the white space after it (RFC 2045, section 6.8).
        case foldedBase64

        /// The byte that starts every escape.
        var introducer: UInt8 {
            switch self {
            case .percent: UInt8(ascii: "%")
            case .json: UInt8(ascii: "\\")
            case .html: UInt8(ascii: "&")
            case .pointer: UInt8(ascii: "~")
            case .foldedBase64: UInt8(ascii: "\n")
            }
        }
    }

    /// The text without escapes, in UTF-8.
    private(set) var bytes: [UInt8] = []

    /// Whether the escapes represent nothing. One at the end of a range is then not part of the range.
    private let areEmpty: Bool

    /// After each escape: the offset in `bytes` and the offset in the original.
    private var escapeEnds: [(unescaped: Int, original: Int)] = []

    /// Decodes the escapes of a text; `nil` if there are none. Anything that only looks like an escape stays.
    init?(_ text: [UInt8], _ escapes: Escapes) {
        guard text.contains(escapes.introducer) else { return nil }
        areEmpty = escapes == .foldedBase64
        // Most texts of several lines are not copied.
        if areEmpty, !text.indices.contains(where: { Self.fold(at: $0, of: text) != nil }) { return nil }
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let byte = text[index]
            guard byte == escapes.introducer, let length = append(escapes, at: index, of: text) else {
                bytes.append(byte)
                index += 1
                continue
            }
            index += length
            escapeEnds.append((bytes.count, index))
        }
        if escapeEnds.isEmpty { return nil }
    }

    /// Returns the range in the original for a range of `bytes`, including its escapes.
    func originalRange(of range: Range<Int>) -> Range<Int> {
        let end = areEmpty ? originalOffset(of: range.upperBound - 1) + 1 : originalOffset(of: range.upperBound)
        return originalOffset(of: range.lowerBound)..<end
    }

    private func originalOffset(of offset: Int) -> Int {
        var low = 0
        var high = escapeEnds.count
        while low < high {
            let middle = (low + high) / 2
            if escapeEnds[middle].unescaped <= offset { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return offset }
        return escapeEnds[low - 1].original + offset - escapeEnds[low - 1].unescaped
    }

    /// Appends the character that the escape at an index represents. Returns the escape's length, or `nil` if it is
    /// invalid.
    private mutating func append(_ escapes: Escapes, at index: Int, of text: [UInt8]) -> Int? {
        switch escapes {
        case .percent:
            guard let value = Self.hexadecimal(text, index + 1, digits: 2) else { return nil }
            bytes.append(UInt8(value))
            return 3
        case .json:
            guard index + 1 < text.count else { return nil }
            if text[index + 1] == UInt8(ascii: "u") { return appendCodePoint(at: index, of: text) }
            guard let byte = Self.meaning(ofJSONEscape: text[index + 1]) else { return nil }
            bytes.append(byte)
            return 2
        case .html: return appendReference(at: index, of: text)
        case .pointer:
            guard index + 1 < text.count else { return nil }
            switch text[index + 1] {
            case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
            return 2
        case .foldedBase64:
            guard let fold = Self.fold(at: index, of: text) else { return nil }
            bytes.removeLast(index - fold.lowerBound)
            return fold.upperBound - index
        }
    }

    /// The minimum number of Base64 characters before a line break in Base64. Lines usually have 64 or 76.
    private static let shortestFoldedLine = 32

    /// Returns the line break and white space around a line feed in Base64; `nil` for any other byte.
    private static func fold(at index: Int, of text: [UInt8]) -> Range<Int>? {
        guard text[index] == UInt8(ascii: "\n") else { return nil }
        let start = index > 0 && text[index - 1] == UInt8(ascii: "\r") ? index - 1 : index
        let line = text[max(0, start - shortestFoldedLine)..<start]
        guard line.count == shortestFoldedLine, line.allSatisfy(Base64Patterns.isCharacter) else { return nil }
        let end = text[(index + 1)...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        return end.flatMap { Base64Patterns.isCharacter(text[$0]) ? start..<$0 : nil }
    }

    /// The length of the longest character reference, `&#x10FFFF;`.
    private static let longestReference = 10

    private mutating func appendReference(at index: Int, of text: [UInt8]) -> Int? {
        let rest = text[(index + 1)..<min(text.count, index + Self.longestReference)]
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        guard let scalar = Self.character(ofReference: String(decoding: rest[..<end], as: UTF8.self)) else {
            return nil
        }
        bytes.append(contentsOf: UTF8.encode(scalar)!)
        return end + 1 - index
    }

    private static func character(ofReference name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        case "euro": "€"
        default:
            if let scalar = latin1References[name] {
                scalar
            } else if name.hasPrefix("#x") || name.hasPrefix("#X") {
                UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
            } else if name.hasPrefix("#") {
                UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
            } else {
                nil
            }
        }
    }

    /// The characters of ISO-8859-1 from U+00A0 to U+00FF, by the names of their references.
    private static let latin1References: [String: Unicode.Scalar] = {
        let names = """
            nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr \
            deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest \
            Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml \
            ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig \
            agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml \
            eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
            """
        return Dictionary(
            uniqueKeysWithValues: zip(
                names.split(separator: " ").map(String.init),
                (0xA0...0xFF).map(Unicode.Scalar.init)
            )
        )
    }()

    private mutating func appendCodePoint(at index: Int, of text: [UInt8]) -> Int? {
        guard let unit = Self.hexadecimal(text, index + 2, digits: 4) else { return nil }
        if let scalar = Unicode.Scalar(unit) {
            bytes.append(contentsOf: UTF8.encode(scalar)!)
            return 6
        }
        guard unit < 0xDC00, index + 7 < text.count, text[index + 6] == UInt8(ascii: "\\"),
            text[index + 7] == UInt8(ascii: "u"), let low = Self.hexadecimal(text, index + 8, digits: 4),
            (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { return nil }
        bytes.append(contentsOf: UTF8.encode(scalar)!)
        return 12
    }

    private static func meaning(ofJSONEscape letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    private static func hexadecimal(_ text: [UInt8], _ start: Int, digits: Int) -> UInt32? {
        guard start + digits <= text.count else { return nil }
        var value: UInt32 = 0
        for index in start..<(start + digits) {
            guard let digit = text[index].hexadecimalDigit else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
