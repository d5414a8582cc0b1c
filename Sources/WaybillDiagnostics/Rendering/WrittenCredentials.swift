/// Finds credentials that a manifest contains itself; excerpts do not show them.
enum WrittenCredentials {
    /// Returns the ranges of the credentials in a line.
    static func ranges(in line: ArraySlice<UInt8>) -> [Range<Int>] { passwords(in: line) + fieldValues(in: line) }

    /// Returns the ranges of passwords in URLs (`https://user:password@host/`, RFC 3986, section 3.2.1).
    private static func passwords(in text: ArraySlice<UInt8>) -> [Range<Int>] {
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

    /// Returns the ranges of the values after the names of header fields with credentials (`X-Api-Key: abc`), and after the
    /// keys of `auth` (`bearer: abc`). A reference, such as `${secrets.key}`, is shown.
    private static func fieldValues(in line: ArraySlice<UInt8>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        for colon in line.indices where line[colon] == UInt8(ascii: ":") {
            let quotes = Array("\"'".utf8)
            var before = line[..<colon]
            if let last = before.last, quotes.contains(last) { before.removeLast() }
            let start = before.lastIndex { !isOfName($0) }.map { $0 + 1 } ?? before.startIndex
            let name = String(decoding: before[start...], as: UTF8.self)
            var value = line[colon...].dropFirst().drop { $0 == UInt8(ascii: " ") }
            guard value.startIndex > colon + 1, isField(name), let first = value.first,
                !Array("{[|>*&!$#".utf8).contains(first)
            else { continue }
            if quotes.contains(first) {
                value = value.dropFirst()
                value = value[..<(value.firstIndex(of: first) ?? value.endIndex)]
            } else {
                value = value.prefix { !Array(",}".utf8).contains($0) }
            }
            // The name of the scheme is not secret (RFC 9110, section 11.4).
            if name.lowercased() == "authorization", let space = value.firstIndex(of: UInt8(ascii: " ")) {
                value = value[space...].drop { $0 == UInt8(ascii: " ") }
            }
            if let reference = value.firstRange(of: "${".utf8) { value = value[..<reference.lowerBound] }
            // An input can be named 'password'; its type is shown.
            let isType = name == "password" && value.starts(with: "string".utf8)
            if !value.isEmpty, !isType { found.append(value.indices) }
        }
        return found
    }

    /// Whether a key is that of a credential in `auth`, or the name of a field with credentials, and not another of a
    /// manifest's own keys, such as `session`.
    private static func isField(_ name: String) -> Bool {
        let ownKeys = ["bearer", "password", "secretKey", "sessionToken", "clientSecret", "refreshToken"]
        if ownKeys.contains(name) { return true }
        let isOwnKey = !name.utf8.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        return CredentialNames.contains(name) && (!isOwnKey || ["authorization", "cookie"].contains(name.lowercased()))
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
}
