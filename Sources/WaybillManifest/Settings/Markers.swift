// How individual requests are marked: `debug`, `trace`, `tag`, `standalone`.

/// Whether the request and its response are reported in full (`debug`).
package struct DebugSetting: BooleanSetting {
    package static let key = "debug"
    package let isOn: Bool
}

/// Whether the request names its trace in a `traceparent` field (`trace`).
package struct TraceSetting: BooleanSetting {
    package static let key = "trace"
    package let isOn: Bool
}

/// A label to find requests by (`tag`).
package struct TagSetting: WholeSetting {
    package static let key = "tag"
    /// The label.
    package let text: String

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let text = node.text else { return nil }
        self.text = text
    }

    package var merging: SettingMerging { .adds() }
}

/// Whether no setting of defaults or service applies (`standalone`).
package struct StandaloneSetting: BooleanSetting {
    package static let key = "standalone"
    package let isOn: Bool
}

extension Settings {
    /// Whether the request and its response are reported in full.
    package var debug: Setting<Bool>? { last(DebugSetting.self)?.map(\.isOn) }
    /// Whether the request names its trace in a `traceparent` field.
    package var trace: Setting<Bool>? { last(TraceSetting.self)?.map(\.isOn) }
    /// The labels that runs can be limited to, those of all levels.
    package var tags: [Setting<String>] { all(TagSetting.self).map { $0.map(\.text) } }
    /// Whether no setting of defaults or service applies.
    package var standalone: Setting<Bool>? { last(StandaloneSetting.self)?.map(\.isOn) }
}
