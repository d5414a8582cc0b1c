import WaybillJSON

/// The escapes of surrogate pairs in a JSON file, such as `\\ud83d\\ude00`, which libyaml rejects because neither half is a
/// character.
///
/// In the text for libyaml, each half is the escape of a private-use character, so that all offsets stay the same:
/// U+D800…DFFF becomes U+E000…E7FF. In the scalars, two of these are replaced by the character of the pair.
struct SurrogatePairs {
    /// The text for libyaml.
    private(set) var text: [UInt8]

    /// Finds the pairs; `nil` if there are none, the file is not JSON, or it contains one of the private-use characters.
    init?(_ bytes: [UInt8]) {
        let start = bytes.first { !" \t\r\n".utf8.contains($0) }
        guard start == UInt8(ascii: "{") || start == UInt8(ascii: "[") else { return nil }
        text = bytes
        var hasPairs = false
        var index = 0
        while index + 5 < text.count {
            guard text[index] == UInt8(ascii: "\\") else {
                if text[index] == 0xEE, (0x80...0x9F).contains(text[index + 1]) { return nil }
                index += 1
                continue
            }
            guard let half = Self.half(in: text, at: index) else {
                index += 2
                continue
            }
            if half >= 0xE000 { return nil }
            if half < 0xDC00, let low = Self.half(in: text, at: index + 6), (0xDC00...0xDFFF).contains(low) {
                Self.replace(half, in: &text, at: index)
                Self.replace(low, in: &text, at: index + 6)
                hasPairs = true
                index += 6
            }
            index += 6
        }
        guard hasPairs, (try? JSONParser().parse(bytes)) != nil else { return nil }
    }

    /// The scalar with the characters of the pairs.
    func restored(_ scalar: [UInt8]) -> [UInt8] {
        var high: Unicode.Scalar?
        var scalars = String.UnicodeScalarView()
        for scalar in String(decoding: scalar, as: UTF8.self).unicodeScalars {
            if let first = high, (0xE400...0xE7FF).contains(scalar.value),
                let whole = Unicode.Scalar(0x10000 + (first.value & 0x3FF) << 10 + (scalar.value & 0x3FF))
            {
                scalars.removeLast()
                scalars.append(whole)
                high = nil
            } else {
                scalars.append(scalar)
                high = (0xE000...0xE3FF).contains(scalar.value) ? scalar : nil
            }
        }
        return Array(String(scalars).utf8)
    }

    /// The code unit of an escape, if it is that of a surrogate, or of a private-use character that stands for one.
    private static func half(in text: [UInt8], at index: Int) -> UInt32? {
        guard index + 5 < text.count, text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        let digits = String(decoding: text[(index + 2)...(index + 5)], as: UTF8.self)
        guard let unit = UInt32(digits, radix: 16), (0xD800...0xE7FF).contains(unit) else { return nil }
        return unit
    }

    private static func replace(_ half: UInt32, in text: inout [UInt8], at index: Int) {
        text.replaceSubrange((index + 2)...(index + 5), with: String(half - 0xD800 + 0xE000, radix: 16).utf8)
    }
}
