/// A set of keys of settings in one integer: rules check much more often whether a key is present than which value it
/// has.
package struct SettingNames: OptionSet, Sendable {
    package let rawValue: UInt64

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
    package var isEmpty: Bool { rawValue == 0 }

    /// Whether a key is in the set.
    package func contains(_ name: SettingName) -> Bool { !isEmpty && contains(SettingNames(name)) }
}

extension SettingName {
    /// The index of the case in `allCases`.
    fileprivate var position: Int { Self.positions[self] ?? 0 }

    private static let positions = Dictionary(uniqueKeysWithValues: zip(allCases, allCases.indices))
}
