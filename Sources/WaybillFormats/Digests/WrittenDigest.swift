import WaybillJSON

extension Digest.Algorithm {
    /// Returns the bytes of a digest in the notations of manifests and servers: hexadecimal or Base64, alone or after
    /// its name, as in `sha256:AB…` and in the fields `Digest` and `Repr-Digest` (RFC 9530), which may contain several.
    package func bytes(ofDigest text: String) -> [UInt8]? {
        for part in text.unicodeScalars.split(separator: ",") {
            var digest = String(String.UnicodeScalarView(part.filter { !$0.properties.isWhitespace }))
            guard digest.utf8.count <= Self.longest else { continue }
            if let end = digest.firstIndex(where: { $0 == ":" || $0 == "=" }),
                let named = Self.names[digest[..<end].lowercased()]
            {
                guard named == self else { continue }
                digest = String(digest[digest.index(after: end)...])
                // A byte sequence of a structured field.
                if digest.hasPrefix(":"), digest.hasSuffix(":"), digest.count > 2 {
                    digest = String(digest.dropFirst().dropLast())
                }
            }
            if let bytes = Self.hexadecimal(digest) ?? Base64.decode(digest), bytes.count == byteCount { return bytes }
        }
        return nil
    }

    /// Whether a string is a digest in hexadecimal.
    package func isHexadecimal(_ text: String) -> Bool {
        text.utf8.count == 2 * byteCount && Self.hexadecimal(text) != nil
    }

    /// Whether a string consists of hexadecimal digits only and is long enough for a digest.
    package static func looksHexadecimal(_ text: String) -> Bool { text.utf8.count >= 32 && hexadecimal(text) != nil }

    /// Returns the message for a string that is not a digest.
    package func words(onWrong text: String) -> String {
        "'\(text.excerpt(100))' is not a \(rawValue) digest: expected \(2 * byteCount) hexadecimal digits"
    }

    /// More than the length in bytes of any digest with its name.
    private static let longest = 256

    private static let names: [String: Digest.Algorithm] = [
        "sha256": .sha256, "sha-256": .sha256, "sha512": .sha512, "sha-512": .sha512, "sha1": .sha1, "sha-1": .sha1,
        "sha": .sha1, "md5": .md5,
    ]

    private static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap(\.hexadecimalDigit)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
