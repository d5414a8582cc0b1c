// Marks on requests: `debug`, `tag`, `standalone`.

/// Whether everything about the request is reported (`debug`).
package struct DebugSetting: BooleanSetting {
    static let key = SettingName.debug
    package let isOn: Bool
}

/// A word by which requests are found (`tag`).
package struct TagSetting: WholeSetting {
    static let key = SettingName.tag
    /// The word.
    package let text: String

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let text = node.text else { return nil }
        self.text = text
    }
}

/// Whether no setting of defaults or service applies (`standalone`).
package struct StandaloneSetting: BooleanSetting {
    static let key = SettingName.standalone
    package let isOn: Bool
}

extension Settings {
    /// Whether everything about the request is reported.
    package var debug: Setting<Bool>? { last(DebugSetting.self)?.map(\.isOn) }
    /// Whether no setting of defaults or service applies.
    package var standalone: Setting<Bool>? { last(StandaloneSetting.self)?.map(\.isOn) }
}
