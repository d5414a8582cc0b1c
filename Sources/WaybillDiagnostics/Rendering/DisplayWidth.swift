/// The width of a text in terminal columns.
///
/// Terminals differ in details. This follows the majority: East Asian wide and fullwidth characters (Unicode Standard
/// Annex #11) and emoji take two columns, combining marks take none.
enum DisplayWidth {
    /// Returns the width of a text.
    static func of(_ text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + of($1) }
    }

    /// Returns the width of a character as the user perceives it: a letter with its marks, or an emoji of several code
    /// points.
    static func of(_ character: Character) -> Int {
        var sum = 0
        for scalar in character.unicodeScalars {
            // A single emoji, regardless of the number of its parts.
            if scalar == "\u{FE0F}" || scalar.properties.isEmojiPresentation { return 2 }
            sum += of(scalar)
        }
        return sum
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return scalar == "\u{AD}" ? 0 : 1 }
        // The second and third letters of a Hangul syllable that is written as separate letters.
        if (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
        }
    }

    /// Whole blocks, including unassigned code points, as the annex requires.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // Hangul Jamo, leading consonants
        0x2E80...0x303E,  // radicals, CJK punctuation
        0x3041...0x33FF,  // Hiragana, Katakana, Bopomofo, compatibility letters
        0x3400...0x4DBF,  // CJK extension A
        0x4E00...0x9FFF,  // CJK
        0xA000...0xA4CF,  // Yi
        0xA960...0xA97F,  // Hangul Jamo, extended A
        0xAC00...0xD7A3,  // Hangul syllables
        0xF900...0xFAFF,  // CJK compatibility ideographs
        0xFE10...0xFE19,  // vertical forms
        0xFE30...0xFE6F,  // CJK compatibility forms, small forms
        0xFF01...0xFF60,  // fullwidth forms
        0xFFE0...0xFFE6,  // fullwidth signs
        0x16FE0...0x18DFF,  // Tangut, Khitan
        0x1AFF0...0x1B2FF,  // Kana supplements, Nushu
        0x1F200...0x1F2FF,  // enclosed ideographs
        0x20000...0x2FFFD,  // CJK extensions B to F
        0x30000...0x3FFFD,  // CJK extensions from G
    ]
}
