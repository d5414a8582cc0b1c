/// A set of keys of settings, as small as a number: whether a key is said at all is asked far more often than what it says.
package struct SettingNames: OptionSet, Sendable {
    package let rawValue: UInt64

    @inlinable
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The set of one key.
    package init(_ name: SettingName) {
        rawValue = 1 << UInt64(name.position)
    }

    /// All keys, and `inherit`.
    package static let all = SettingNames(rawValue: (1 << UInt64(SettingName.allCases.count + 1)) - 1)

    /// What declines farther levels. It is no setting itself, but may be unknown like one.
    package static let inherit = SettingNames(rawValue: 1 << UInt64(SettingName.allCases.count))

    /// Whether no key is in the set.
    @inlinable
    package var isEmpty: Bool { rawValue == 0 }

    /// Whether a key is in the set.
    package func contains(_ name: SettingName) -> Bool { contains(SettingNames(name)) }
}

extension SettingName {
    /// Which of the cases it is, from 0: an enum without payloads is laid out as just that number.
    var position: UInt8 { unsafeBitCast(self, to: UInt8.self) }
}
