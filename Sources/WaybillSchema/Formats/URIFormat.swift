import WaybillFormats
import WaybillJSON

/// URIs and relative references (RFC 3986, appendix A), and IRIs (RFC 3987).
enum URIFormat {
    static func isURI(_ string: String, isInternational: Bool) -> Bool {
        URIReference(string).isAbsolute && isReference(string, isInternational: isInternational)
    }

    static func isReference(_ string: String, isInternational: Bool) -> Bool {
        let uri = URIReference(string)
        let grammar = Grammar(isInternational: isInternational)
        guard grammar.allows(uri.path, ":@/"), grammar.allows(uri.query ?? "", ":@/?", isQuery: true),
            grammar.allows(uri.fragment ?? "", ":@/?")
        else { return false }
        if let authority = uri.authority { return isAuthority(authority, grammar) }
        // Without a scheme, a colon in the first segment would start one (section 4.2).
        return uri.isAbsolute || !(uri.path.split(separator: "/", omittingEmptySubsequences: false)[0].contains(":"))
    }

    private static func isAuthority(_ text: String, _ grammar: Grammar) -> Bool {
        let authority = URIReference.Authority(text)
        guard grammar.allows(authority.userInformation ?? "", ":"),
            (authority.port ?? "").utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return false }
        guard authority.host.utf8.first == UInt8(ascii: "[") else { return grammar.allows(authority.host, "") }
        guard authority.host.utf8.last == UInt8(ascii: "]") else { return false }
        let address = Substring(authority.host.utf8.dropFirst().dropLast())
        return AddressFormat.isIPv6(address) || isFutureAddress(address)
    }

    /// Whether a string is an address of a later version, such as `v1.fe`.
    private static func isFutureAddress(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let mark = parts[0].utf8.first, mark | 0x20 == UInt8(ascii: "v") else { return false }
        let version = parts[0].unicodeScalars.dropFirst()
        return !version.isEmpty && version.allSatisfy { $0.properties.isASCIIHexDigit } && !parts[1].isEmpty
            && !parts[1].contains("%") && Grammar(isInternational: false).allows(String(parts[1]), ":")
    }

    /// The characters that are allowed in a component.
    struct Grammar {
        let isInternational: Bool

        /// Whether a string consists of unreserved characters, sub-delimiters, percent-encoded bytes, and the
        /// characters in `more`.
        func allows(_ text: String, _ more: String, isQuery: Bool = false) -> Bool {
            var scalars = text.unicodeScalars[...]
            var limit = WorkLimit.Check()
            while let scalar = scalars.popFirst() {
                if limit.isReached(before: 1) { return false }
                if scalar == "%" {
                    guard let high = scalars.popFirst(), let low = scalars.popFirst(),
                        high.properties.isASCIIHexDigit, low.properties.isASCIIHexDigit
                    else { return false }
                } else if !Self.isPlain(scalar), !more.unicodeScalars.contains(scalar),
                    !isInternational || !Self.isInternational(scalar, isQuery)
                {
                    return false
                }
            }
            return true
        }

        private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "-._~!$&'()*+,;=".unicodeScalars.contains(scalar))
        }

        /// `ucschar`, and in a query `iprivate` (RFC 3987, section 2.2).
        private static func isInternational(_ scalar: Unicode.Scalar, _ isQuery: Bool) -> Bool {
            switch scalar.value {
            case 0xA0...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFEF: true
            case 0xE000...0xF8FF, 0xF0000...0xFFFFD, 0x100000...0x10FFFD: isQuery
            case 0x10000...0xEFFFD: scalar.value & 0xFFFF < 0xFFFE && !(0xE0000...0xE0FFF).contains(scalar.value)
            default: false
            }
        }
    }
}
