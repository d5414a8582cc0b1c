import CIDN2

/// Host names (RFC 1123, section 2.1) and international ones (RFC 5890), whose labels libidn2 checks.
enum HostnameFormat {
    /// Whether a string consists of labels of letters, digits and inner hyphens, up to 63 bytes each and 253 in all.
    /// Labels with the prefix `xn--` must represent an international label.
    static func isHostname(_ string: String) -> Bool {
        guard string.utf8.count <= 253, string.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        return isName(string.split(separator: ".", omittingEmptySubsequences: false))
    }

    /// Whether a string is such a host name, with labels also in Unicode, and with the full stops of East Asian
    /// scripts.
    static func isInternationalHostname(_ string: String) -> Bool {
        let stops: [Unicode.Scalar] = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]
        guard string.utf8.count <= 4 * 253 else { return false }
        let labels = string.unicodeScalars.split(omittingEmptySubsequences: false) { stops.contains($0) }
        let length = labels.reduce(labels.count - 1) { $0 + $1.count }
        return length <= 253 && isName(labels.map { Substring($0) })
    }

    private static func isName(_ labels: [Substring]) -> Bool {
        var decoded: [[Unicode.Scalar]] = []
        for label in labels {
            guard let scalars = scalars(of: label) else { return false }
            decoded.append(scalars)
        }
        return areDigitsAllowed(in: decoded)
    }

    /// Returns the decoded scalars of a label; `nil` if it is invalid.
    private static func scalars(of label: Substring) -> [Unicode.Scalar]? {
        let isASCII = label.utf8.allSatisfy { $0 < 0x80 }
        guard !isASCII || isPlain(label) else { return nil }
        let text = isASCII ? label.lowercased() : String(label)
        guard !isASCII || text.hasPrefix("xn--") else { return Array(text.unicodeScalars) }
        var registered: UnsafeMutablePointer<UInt8>?
        var decoded: UnsafeMutablePointer<CChar>?
        defer {
            unsafe idn2_free(registered)
            unsafe idn2_free(decoded)
        }
        // Registration applies all rules of RFC 5892; a look-up leaves out those of appendix A.3 to A.9.
        guard !text.utf8.contains(0),
            unsafe idn2_register_u8(isASCII ? nil : text, isASCII ? text : nil, &registered, 0) == IDN2_OK.rawValue,
            unsafe idn2_to_unicode_8z8z(text, &decoded, 0) == IDN2_OK.rawValue, let decoded = unsafe decoded
        else { return nil }
        return unsafe Array(String(cString: decoded).unicodeScalars)
    }

    /// Whether labels satisfy what libidn2 leaves out of the rule for names with right-to-left text (RFC 5893, section
    /// 2): no label starts with a digit, and none has European and Arabic digits.
    private static func areDigitsAllowed(in labels: [[Unicode.Scalar]]) -> Bool {
        let isConcerned = labels.joined().contains {
            rightToLeft.contains($0.value) && $0.properties.generalCategory != .nonspacingMark
        }
        return !isConcerned
            || labels.allSatisfy { label in
                !europeanDigits.contains(label[0].value)
                    && !(label.contains { europeanDigits.contains($0.value) }
                        && label.contains { arabicDigits.contains($0.value) })
            }
    }

    private static let europeanDigits = CharacterClass(0x30...0x39, 0x6F0...0x6F9)
    private static let arabicDigits = CharacterClass(0x660...0x669, 0x10D30...0x10D39)
    private static let rightToLeft = CharacterClass(
        0x590...0x6EF,
        0x6FA...0x8FF,
        0xFB1D...0xFDFF,
        0xFE70...0xFEFE,
        0x10800...0x10FFF,
        0x1E800...0x1EFFF
    )

    private static func isPlain(_ label: Substring) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.utf8.count) && label.utf8.first != hyphen && label.utf8.last != hyphen
            && label.utf8.allSatisfy { byte in
                byte == hyphen || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
            }
    }
}
