import WaybillFormats

/// Generates UUIDs (RFC 9562), as `uuid()` returns them.
package enum RandomUUID {
    /// Returns a new random UUID (version 4, RFC 9562, section 5.4).
    package static func make() -> String {
        text((0..<16).map { _ in UInt8.random(in: .min ... .max) })
    }

    /// Returns the UUID derived from a string by SHA-256, the same each time (version 8, RFC 9562, section 5.8).
    package static func make(from text: String) -> String {
        Self.text(Array(Digest.value(of: Array(text.utf8), .sha256).prefix(16)), version: 8)
    }

    private static func text(_ bytes: [UInt8], version: UInt8 = 4) -> String {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | version << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text = Hexadecimal.encode(bytes)
        for offset in [20, 16, 12, 8] { text.insert("-", at: text.index(text.startIndex, offsetBy: offset)) }
        return text
    }
}
