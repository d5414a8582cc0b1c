import WaybillJSON

/// The character set of a response. Labels have the meaning of the WHATWG Encoding Standard; labels that it does not
/// define are looked up in the system.
enum CharacterSet: Sendable {
    case utf8
    /// Also for the labels ISO-8859-1 and US-ASCII, as the Encoding Standard defines: the bytes 80–9F are characters.
    case windows1252
    case utf16LittleEndian
    case utf16BigEndian
    /// Any other, with its label.
    case other(CharacterSetConverter, label: String)

    /// More than the length of any label in bytes.
    private static let longestLabel = 100

    /// The character set of a label, such as the `charset` of a media type; `nil` if it is unknown.
    init?(label: String) {
        guard label.utf8.count <= Self.longestLabel else { return nil }
        switch label.lowercased() {
        case "utf-8", "utf8", "unicode-1-1-utf-8", "x-unicode20utf8": self = .utf8
        case "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1",
            "iso_8859-1:1987", "iso-ir-100", "csisolatin1", "latin1", "latin-1", "l1", "us-ascii", "ascii",
            "ansi_x3.4-1968", "ibm819", "cp819":
            self = .windows1252
        // Without a byte order mark, the standard assumes little endian, because most UTF-16 is.
        case "utf-16", "utf-16le", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode": self = .utf16LittleEndian
        case "utf-16be": self = .utf16BigEndian
        case let label:
            guard let converter = CharacterSetConverter(label: label) else { return nil }
            self = .other(converter, label: label)
        }
    }

    /// The character set of the byte order mark at the start of a body, and the length of the mark.
    static func marked(_ bytes: [UInt8]) -> (CharacterSet, length: Int)? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        // The encoding standard has no UTF-32; a text in UTF-16 does not start with NUL.
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]), let set = Self(label: "utf-32le") { return (set, 4) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        return nil
    }

    /// The label of the character set that a document in XML (XML 1.0, section 4.3.3 and appendix F) or HTML declares; empty
    /// if it declares none. A page in HTML that is not UTF-8 is windows-1252 then.
    static func declaredLabel(in body: [UInt8], isHTML: Bool) -> String {
        if body.starts(with: [0x3C, 0x00]) { return "utf-16le" }
        if body.starts(with: [0x00, 0x3C]) { return "utf-16be" }
        let start = String(decoding: body.prefix(1024), as: UTF8.self).lowercased()
        let head = isHTML ? start[...] : start.hasPrefix("<?xml") ? start.prefix { $0 != ">" } : ""
        var label = ""
        if let keyword = head.firstRange(of: isHTML ? "charset" : "encoding") {
            let value = head[keyword.upperBound...].drop { $0.isWhitespace || "='\"".contains($0) }
            label = String(value.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_:.".contains($0)) })
        }
        // The declaration itself could be read, so the document is not in UTF-16.
        if label.hasPrefix("utf-16") { label = "utf-8" }
        if label.isEmpty, isHTML, String(validating: body, as: UTF8.self) == nil { label = "windows-1252" }
        return label
    }

    /// The name, for messages.
    var name: String {
        switch self {
        case .utf8: "UTF-8"
        case .windows1252: "windows-1252"
        case .utf16LittleEndian, .utf16BigEndian: "UTF-16"
        case .other(_, let label): label
        }
    }

    /// Decodes bytes; returns `nil` if they are not valid in the character set, or once `WorkLimit` is reached.
    func text(of bytes: some Collection<UInt8>) -> String? {
        switch self {
        case .utf8: return String(validating: bytes, as: UTF8.self)
        case .windows1252:
            var scalars = String.UnicodeScalarView()
            var limit = WorkLimit.Check()
            for (position, byte) in bytes.enumerated() {
                if limit.isReached(at: position) { return nil }
                // All other bytes are the code point of the same number, including the five that the set does not
                // define.
                let scalar = (0x80...0x9F).contains(byte) ? Self.upperControls[Int(byte) - 0x80] : Unicode.Scalar(byte)
                scalars.append(scalar)
            }
            return String(scalars)
        case .utf16LittleEndian, .utf16BigEndian:
            guard bytes.count.isMultiple(of: 2) else { return nil }
            var units: [UInt16] = []
            units.reserveCapacity(bytes.count / 2)
            var iterator = bytes.makeIterator()
            while let first = iterator.next(), let second = iterator.next() {
                units.append(UInt16(first) << 8 | UInt16(second))
            }
            if case .utf16LittleEndian = self { units = units.map(\.byteSwapped) }
            return String(validating: units, as: UTF16.self)
        case .other(let converter, _): return converter.text(of: bytes)
        }
    }

    /// The characters of windows-1252 instead of the control characters 80 to 9F.
    private static let upperControls = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars
    )
}
