// The standard library has no other normalisation without Foundation.
@_spi(_Unicode) import Swift
import WaybillJSON

/// The forms of a secret in which it is seldom repeated: normalised, and encoded twice.
enum NestedEncodings {
    /// The maximum size in bytes of a secret that is found in these forms, which take up to 30 times as much memory.
    static let longest = 1 << 10
    /// The maximum number of bytes of all secrets that are found in these forms.
    static let maximumBytes = 64 << 10

    /// Returns a secret in the normalisation forms C and D (Unicode Standard Annex #15), where they differ from it.
    static func normalized(_ secret: String) -> [String] {
        guard secret.utf8.count <= longest, !secret.utf8.allSatisfy({ $0 < 0x80 }) else { return [] }
        let forms = [
            String(String.UnicodeScalarView(secret._nfc)), String(String.UnicodeScalarView(secret._nfd)),
        ]
        return forms.filter { !$0.hasSameCodePoints(as: secret) }
    }

    /// Returns the Base64 characters of a secret with JSON escapes, as in an encoded JSON document, and of a secret that was
    /// already in Base64.
    static func patterns(of secret: String) -> [PatternAutomaton.Pattern] {
        let bytes = Array(secret.utf8)
        let forms = Set(escapes(of: secret, isASCII: false) + escapes(of: secret, isASCII: true))
        let escaped = forms.filter { $0 != bytes }
        return (Array(escaped) + Base64Patterns.patterns(of: bytes).map(\.bytes)).flatMap(Base64Patterns.patterns)
    }

    /// Returns a string with JSON escapes, without the quotes, and also with escaped slashes.
    ///
    /// - Parameter isASCII: Whether other characters than those of ASCII are escaped.
    private static func escapes(of secret: String, isASCII: Bool) -> [[UInt8]] {
        let written = JSONWriter().string(.string(secret)).unicodeScalars.dropFirst().dropLast()
        let text = written.reduce(into: "") { text, scalar in
            guard isASCII, !scalar.isASCII else {
                text.unicodeScalars.append(scalar)
                return
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }
        }
        let slashes = text.utf8.flatMap { $0 == UInt8(ascii: "/") ? [UInt8(ascii: "\\"), $0] : [$0] }
        return [Array(text.utf8), slashes]
    }
}
