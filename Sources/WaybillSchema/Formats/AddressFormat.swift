/// IP addresses (RFC 2673, section 3.2, and RFC 4291, section 2.2).
package enum AddressFormat {
    /// Whether a string is four numbers up to 255, without leading zeros.
    package static func isIPv4(_ text: Substring.UTF8View) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                guard (1...3).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }) else {
                    return false
                }
                let value = part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
                return value <= 255 && (part.count == 1 || part.first != 0x30)
            }
    }

    /// Whether a string is eight groups of hexadecimal digits, with at most one `::` for groups of zero. An IPv4
    /// address may replace the last two groups.
    package static func isIPv6(_ text: Substring.UTF8View) -> Bool {
        guard text.count <= 45 else { return false }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return false }
        var groups = 0
        var gaps = 0
        for (index, part) in parts.enumerated() {
            if part.isEmpty {
                // `::` at either end produces two empty parts, of which the outer one represents nothing.
                let isOuter = index == 0 && parts[1].isEmpty
                let isLast = index == parts.count - 1 && parts[index - 1].isEmpty
                if isOuter || isLast { continue }
                guard index > 0, index < parts.count - 1 else { return false }
                gaps += 1
            } else if index == parts.count - 1, isIPv4(part) {
                groups += 2
            } else {
                guard part.count <= 4, part.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else {
                    return false
                }
                groups += 1
            }
        }
        return gaps == 0 ? groups == 8 : gaps == 1 && groups < 8
    }
}
