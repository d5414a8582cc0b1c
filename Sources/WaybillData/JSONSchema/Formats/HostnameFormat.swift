/// Host names (RFC 1123, section 2.1).
enum HostnameFormat {
    /// Labels of letters, digits and inner hyphens, to 63 bytes each and 253 in all.
    static func isHostname(_ string: String) -> Bool {
        guard string.utf8.count <= 253 else { return false }
        return string.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy(isLabel)
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { byte in
                byte == hyphen || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
            }
    }
}
