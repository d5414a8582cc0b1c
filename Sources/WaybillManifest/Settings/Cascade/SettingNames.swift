/// A set of keys of settings in one integer: rules check far more often whether a key is present than what its value
/// is.
package struct SettingNames: OptionSet, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Creates the set of one key.
    package init(_ name: SettingName) {
        rawValue = 1 << UInt64(name.position)
    }

    /// All keys, and `inherit`.
    package static let all = SettingNames(rawValue: (1 << UInt64(SettingName.allCases.count + 1)) - 1)

    /// The key that declines farther levels. It is not a setting, but can be unknown like one.
    package static let inherit = SettingNames(rawValue: 1 << UInt64(SettingName.allCases.count))

    /// Whether the set is empty.
    package var isEmpty: Bool { rawValue == 0 }

    /// Whether the set contains a key.
    package func contains(_ name: SettingName) -> Bool { !isEmpty && contains(SettingNames(name)) }
}

extension SettingName {
    /// The index of the case in `allCases`.
    fileprivate var position: Int { Self.positions[self] ?? 0 }

    private static let positions = Dictionary(uniqueKeysWithValues: zip(allCases, allCases.indices))
}
