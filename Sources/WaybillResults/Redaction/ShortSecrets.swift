import WaybillFormats
import WaybillJSON

/// Secrets of fewer than six bytes. They occur by chance in much that is not secret, so they are found only if they are
/// a whole value: a whole text, a quoted string, or the value of a query or form field; in a URL also a path segment, a
/// query parameter without a name, or the fragment.
package struct ShortSecrets: Sendable {
    /// The number of bytes below which a secret is short.
    package static let limit = 6

    /// Whether a secret is short.
    package static func contains(_ secret: String) -> Bool { secret.utf8.count < limit }

    /// The secrets, also in Base64 and in hexadecimal.
    private var values: Set<[UInt8]> = []
    private var longest = 0

    /// Whether there are no secrets.
    var isEmpty: Bool { values.isEmpty }

    /// Adds a secret.
    mutating func insert(_ secret: String) {
        let bytes = Array(secret.utf8)
        let hexadecimal = Hexadecimal.encode(bytes)
        var forms = [bytes] + [hexadecimal, hexadecimal.uppercased()].map { Array($0.utf8) }
        for isURLSafe in [false, true] {
            let base64 = Array(Base64.encode(bytes, urlSafe: isURLSafe).utf8)
            forms += [base64, base64.filter { $0 != UInt8(ascii: "=") }]
        }
        values.formUnion(forms)
        longest = max(longest, forms.map(\.count).max() ?? 0)
    }

    /// Returns the ranges of a text that are secrets, in order.
    func matches(in text: [UInt8]) -> [Range<Int>] {
        guard !values.isEmpty else { return [] }
        // It may itself contain a delimiter.
        if text.count <= longest, values.contains(text) { return [0..<text.count] }
        var found: [Range<Int>] = []
        var isInURL = false
        for start in 0..<text.count {
            if start > 0 {
                let before = text[start - 1]
                if before == UInt8(ascii: "/"), start > 2, text[start - 2] == before,
                    text[start - 3] == UInt8(ascii: ":")
                {
                    isInURL = true
                } else if before <= 0x20 || before == UInt8(ascii: "\"") {
                    isInURL = false
                }
                guard Self.isBefore(before, isInURL: isInURL) else { continue }
            }
            let limit = min(text.count, start + longest + 1)
            guard
                let end = (start..<limit).first(where: { Self.isAfter(text[$0], isInURL: isInURL) })
                    ?? (limit == text.count ? limit : nil), end > start
            else { continue }
            if values.contains(Array(text[start..<end])) { found.append(start..<end) }
        }
        return found
    }

    private static func isBefore(_ byte: UInt8, isInURL: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "="): true
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "&"): isInURL
        default: false
        }
    }

    private static func isAfter(_ byte: UInt8, isInURL: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "&"): true
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): isInURL
        default: false
        }
    }
}
