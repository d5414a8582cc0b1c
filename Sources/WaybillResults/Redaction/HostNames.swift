/// Finds secrets in host names, which are always written in lowercase.
enum HostNames {
    /// Returns the pattern of a secret that can be part of a host name and contains uppercase letters; `nil` for any
    /// other.
    static func pattern(of secret: String) -> PatternAutomaton.Pattern? {
        guard secret.utf8.allSatisfy({ isCharacter($0) || isUpperCase($0) }), secret.utf8.contains(where: isUpperCase)
        else { return nil }
        return PatternAutomaton.Pattern(bytes: Array(secret.lowercased().utf8))
    }

    /// Returns the ranges of a text that may be host names in lowercase: they contain a dot or follow `//`.
    static func ranges(in text: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        while start < text.count {
            guard isCharacter(text[start]) else {
                start += 1
                continue
            }
            let end = text[start...].firstIndex { !isCharacter($0) } ?? text.count
            let followsSlashes =
                start > 1 && text[start - 1] == UInt8(ascii: "/") && text[start - 2] == UInt8(ascii: "/")
            if followsSlashes || text[start..<end].contains(UInt8(ascii: ".")) { found.append(start..<end) }
            start = end
        }
        return found
    }

    private static func isCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isUpperCase(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
}
