/// The rule for host names with labels written from right to left (RFC 5893, section 2).
enum BidiRule {
    /// Whether labels satisfy the rule, which applies to all of them if any contains right-to-left text.
    static func isFollowed(by labels: [[Unicode.Scalar]]) -> Bool {
        let directions = labels.map { $0.map(Direction.init) }
        let isConcerned = directions.joined().contains { $0 == .right || $0 == .arabicNumber }
        return !isConcerned || directions.allSatisfy(isFollowed)
    }

    private static func isFollowed(by label: [Direction]) -> Bool {
        guard let last = label.last(where: { $0 != .mark }) else { return false }
        switch label.first {
        case .right:
            let isMixed = label.contains(.number) && label.contains(.arabicNumber)
            return !label.contains(.left) && [.right, .number, .arabicNumber].contains(last) && !isMixed
        case .left:
            return !label.contains(.right) && !label.contains(.arabicNumber) && [.left, .number].contains(last)
        default:
            return false
        }
    }

    /// The bidirectional classes that the rule distinguishes, by block, because the standard library has no table of
    /// them.
    private enum Direction {
        /// L
        case left
        /// R and AL
        case right
        /// EN
        case number
        /// AN
        case arabicNumber
        /// NSM
        case mark
        /// ES, CS, ET, ON, BN
        case neutral

        init(_ scalar: Unicode.Scalar) {
            let category = scalar.properties.generalCategory
            if category == .nonspacingMark || category == .enclosingMark {
                self = .mark
                return
            }
            switch scalar.value {
            case 0x30...0x39, 0x6F0...0x6F9: self = .number
            case 0x660...0x669, 0x10D30...0x10D39, 0x10E60...0x10E7E: self = .arabicNumber
            case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF: self = .right
            default: self = scalar.properties.isAlphabetic || category == .decimalNumber ? .left : .neutral
            }
        }
    }
}
