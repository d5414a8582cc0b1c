/// Mailboxes (RFC 5321, section 4.1.2, and RFC 6531 for international ones).
enum EmailFormat {
    /// Whether a string is a local part, `@`, and a host name or an address in brackets.
    static func isEmail(_ string: String, isInternational: Bool) -> Bool {
        guard let at = string.utf8.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let local = string[..<at].unicodeScalars
        let domain = string[string.utf8.index(after: at)...]
        guard string[..<at].utf8.count <= 64, domain.utf8.count <= 253, isLocal(local, isInternational) else {
            return false
        }
        if domain.utf8.first == UInt8(ascii: "["), domain.utf8.last == UInt8(ascii: "]") {
            return isLiteral(domain.dropFirst().dropLast())
        }
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            if isInternational, !label.utf8.allSatisfy({ $0 < 0x80 }) {
                return label.unicodeScalars.allSatisfy { !$0.isASCII || $0 == "-" || isAtom($0) }
            }
            return HostnameFormat.isHostname(String(label))
        }
    }

    private static func isLocal(_ local: Substring.UnicodeScalarView, _ isInternational: Bool) -> Bool {
        guard local.allSatisfy({ $0.isASCII || isInternational }) else { return false }
        if local.count >= 2, local.first == "\"", local.last == "\"" {
            var isEscaped = false
            for scalar in local.dropFirst().dropLast() {
                let isPrintable = !scalar.isASCII || (0x20...0x7E).contains(scalar.value)
                guard isPrintable, isEscaped || scalar != "\"" else { return false }
                isEscaped = !isEscaped && scalar == "\\"
            }
            return !isEscaped
        }
        let atoms = local.split(separator: ".", omittingEmptySubsequences: false)
        return atoms.allSatisfy { !$0.isEmpty && $0.allSatisfy { !$0.isASCII || isAtom($0) } }
    }

    /// Whether a scalar is `atext` of RFC 5322, section 3.2.3.
    private static func isAtom(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains(scalar))
    }

    private static func isLiteral(_ text: Substring) -> Bool {
        let prefix = "IPv6:"
        if text.utf8.count > 5, text.prefix(5).lowercased() == prefix.lowercased() {
            return AddressFormat.isIPv6(text.dropFirst(5))
        }
        return AddressFormat.isIPv4(text)
    }
}
