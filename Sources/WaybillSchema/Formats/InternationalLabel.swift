/// The scalars that are allowed in an international label of a host name, and their contexts (RFC 5892).
enum InternationalLabel {
    /// Whether scalars form a valid label (RFC 5891, section 4.2), apart from the rule for right-to-left text.
    static func isValid(_ label: [Unicode.Scalar]) -> Bool {
        guard let first = label.first, let last = label.last, first != "-", last != "-" else { return false }
        if label.count >= 4, label[2] == "-", label[3] == "-" { return false }
        if [.nonspacingMark, .spacingMark, .enclosingMark].contains(first.properties.generalCategory) { return false }
        guard let encoded = Punycode.encoded(label), "xn--".utf8.count + encoded.utf8.count <= 63 else { return false }
        return label.indices.allSatisfy { isAllowed(label[$0], at: $0, in: label) }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar, at index: Int, in label: [Unicode.Scalar]) -> Bool {
        let before = index > 0 ? label[index - 1] : nil
        let after = index + 1 < label.count ? label[index + 1] : nil
        switch scalar.value {
        case 0xB7: return before == "l" && after == "l"
        case 0x375: return after.map { greek.contains($0.value) } ?? false
        case 0x5F3, 0x5F4: return before.map { hebrew.contains($0.value) } ?? false
        case 0x30FB: return label.contains { $0 != scalar && japanese.contains($0.value) }
        case 0x660...0x669: return !label.contains { (0x6F0...0x6F9).contains($0.value) }
        case 0x6F0...0x6F9: return !label.contains { (0x660...0x669).contains($0.value) }
        case 0x200D: return before?.properties.canonicalCombiningClass == .virama
        case 0x200C: return before?.properties.canonicalCombiningClass == .virama || joins(at: index, in: label)
        default: return isAlwaysAllowed(scalar)
        }
    }

    /// Whether the property that RFC 5892, section 3, derives for a scalar is PVALID.
    private static func isAlwaysAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007: return true
        case 0x2D, 0x30...0x39, 0x61...0x7A: return true
        case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: return false
        case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7C6, 0xD7CB...0xD7FB: return false
        case 0x20D0...0x20FF, 0x1D100...0x1D24F: return false
        default: break
        }
        let properties = scalar.properties
        guard !properties.changesWhenNFKCCaseFolded, !properties.isDefaultIgnorableCodePoint else { return false }
        switch properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter, .decimalNumber, .nonspacingMark,
            .spacingMark:
            return true
        default:
            return false
        }
    }

    private static let greek = CharacterClass(0x370...0x373, 0x376...0x3E1, 0x3F0...0x3FF, 0x1F00...0x1FFF)
    private static let hebrew = CharacterClass(0x591...0x5F4, 0xFB1D...0xFB4F)
    private static let japanese = CharacterClass(
        0x2E80...0x2FD5,
        0x3005...0x3007,
        0x3021...0x3029,
        0x3038...0x303B,
        0x3041...0x309F,
        0x30A1...0x30FA,
        0x30FD...0x30FF,
        0x31F0...0x31FF,
        0x3400...0x4DBF,
        0x4E00...0x9FFF,
        0xF900...0xFAFF,
        0xFF66...0xFF9D,
        0x1B000...0x1B16F,
        0x20000...0x3FFFF
    )

    // MARK: Joining (RFC 5892, appendix A.1)

    /// Whether a zero-width non-joiner is at a position where letters of the Arabic block would join.
    private static func joins(at index: Int, in label: [Unicode.Scalar]) -> Bool {
        let before = label[..<index].last { !isTransparent($0) }
        let after = label[(index + 1)...].first { !isTransparent($0) }
        guard let before, let after else { return false }
        return joinsOnBothSides(before) && (joinsOnBothSides(after) || joinsBackwards.contains(after.value))
    }

    private static func isTransparent(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .enclosingMark].contains(scalar.properties.generalCategory)
    }

    private static func joinsOnBothSides(_ scalar: Unicode.Scalar) -> Bool {
        let isLetter = [0x620...0x64A, 0x66E...0x6D3, 0x6FA...0x6FF].contains { $0.contains(scalar.value) }
        return isLetter && ![0x621, 0x640, 0x674].contains(scalar.value) && !joinsBackwards.contains(scalar.value)
    }

    private static let joinsBackwards = CharacterClass(
        0x622...0x625,
        0x627...0x627,
        0x629...0x629,
        0x62F...0x632,
        0x648...0x648,
        0x671...0x673,
        0x675...0x677,
        0x688...0x699,
        0x6C0...0x6C0,
        0x6C3...0x6CB,
        0x6CD...0x6CD,
        0x6CF...0x6CF,
        0x6D2...0x6D3,
        0x6D5...0x6D5,
        0x6EE...0x6EF
    )
}
