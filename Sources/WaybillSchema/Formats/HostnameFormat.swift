/// Host names (RFC 1123, section 2.1) and international ones (RFC 5890).
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
        let labels = string.unicodeScalars.split(omittingEmptySubsequences: false) { stops.contains($0) }
        let length = labels.reduce(labels.count - 1) { $0 + $1.count }
        return length <= 253 && isName(labels.map { Substring($0) })
    }

    private static func isName(_ labels: [Substring]) -> Bool {
        var scalars: [[Unicode.Scalar]] = []
        for label in labels {
            guard let meaning = meaning(of: label) else { return false }
            scalars.append(meaning)
        }
        return BidiRule.isFollowed(by: scalars)
    }

    /// Returns the decoded scalars of a label; `nil` if it is invalid.
    private static func meaning(of label: Substring) -> [Unicode.Scalar]? {
        guard label.utf8.allSatisfy({ $0 < 0x80 }) else {
            let scalars = Array(label.unicodeScalars)
            return InternationalLabel.isValid(scalars) ? scalars : nil
        }
        guard isPlain(label) else { return nil }
        guard label.lowercased().hasPrefix("xn--") else { return Array(label.lowercased().unicodeScalars) }
        let encoded = label.dropFirst(4)
        guard let scalars = Punycode.decoded(encoded), !scalars.allSatisfy(\.isASCII),
            InternationalLabel.isValid(scalars), Punycode.encoded(scalars)?.lowercased() == encoded.lowercased()
        else { return nil }
        return scalars
    }

    private static func isPlain(_ label: Substring) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.utf8.count) && label.utf8.first != hyphen && label.utf8.last != hyphen
            && label.utf8.allSatisfy { byte in
                byte == hyphen || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
            }
    }
}
