import WaybillFormats

/// Identifiers that nothing else has (RFC 9562, section 5.4), as `uuid()` gives them.
package enum RandomUUID {
    /// A new one.
    package static func make() -> String {
        text((0..<16).map { _ in UInt8.random(in: .min ... .max) })
    }

    /// The one that belongs to a text, always the same (RFC 9562, section 5.8, by SHA-256).
    package static func make(from text: String) -> String {
        Self.text(Array(Digest.value(of: Array(text.utf8), .sha256).prefix(16)), version: 8)
    }

    private static func text(_ bytes: [UInt8], version: UInt8 = 4) -> String {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | version << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef")
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append("-") }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }
}
