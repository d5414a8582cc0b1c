/// How many columns of a terminal text takes.
///
/// Terminals do not agree on everything. This follows what most do: East Asian wide and fullwidth characters (Unicode
/// Standard Annex #11) and emoji take two columns, marks that combine with what is before them take none.
enum DisplayWidth {
    /// The columns of a text.
    static func of(_ text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + of($1) }
    }

    /// The columns of a character, as a person sees one: a letter with its marks, a family of emoji.
    static func of(_ character: Character) -> Int {
        var sum = 0
        for scalar in character.unicodeScalars {
            // One emoji, however many its parts.
            if scalar == "\u{FE0F}" || scalar.properties.isEmojiPresentation { return 2 }
            sum += of(scalar)
        }
        return sum
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return scalar == "\u{AD}" ? 0 : 1 }
        // The second and third letters of a Hangul syllable that is written in parts.
        if (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return isWide(scalar.value) ? 2 : 1
        }
    }

    private static func isWide(_ value: UInt32) -> Bool {
        var (low, high) = (0, wide.count)
        while low < high {
            let middle = (low + high) / 2
            if wide[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < wide.count && wide[low].contains(value)
    }

    /// Whole blocks, unassigned places in them included, as the annex wants it.
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
