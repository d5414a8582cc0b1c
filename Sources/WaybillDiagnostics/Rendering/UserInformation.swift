/// Finds passwords in URLs (`https://user:password@host/`, RFC 3986, section 3.2.1), which excerpts of a manifest do
/// not show.
enum UserInformation {
    /// Returns the ranges of passwords in a text.
    static func passwords(in text: ArraySlice<UInt8>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = text.startIndex
        while index + 2 < text.endIndex {
            guard text[index] == UInt8(ascii: ":"), text[index + 1] == UInt8(ascii: "/"),
                text[index + 2] == UInt8(ascii: "/")
            else {
                index += 1
                continue
            }
            let start = index + 3
            let end = text[start...].firstIndex(where: endsAuthority) ?? text.endIndex
            if let at = text[start..<end].lastIndex(of: UInt8(ascii: "@")),
                let colon = text[start..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
            {
                found.append((colon + 1)..<at)
            }
            index = end
        }
        return found
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte <= 0x20 || Array("/?#\"'".utf8).contains(byte)
    }
}
