// How requests are marked and reported: `debug`, `trace`, `tag`, `standalone`, `messages`.

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

/// A message for kinds of failure, or whether messages show codes (`messages`).
package struct MessageSetting: ReadableSetting {
    package static let key = "messages"
    /// The name under `messages`.
    package let name: MessageOption.Name
    /// The value for the name; `nil` unsets the name.
    package let option: MessageOption?

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        for (key, value) in node.entries {
            guard let name: MessageOption.Name = decoder.word(key) else { continue }
            let option: MessageOption? =
                switch name {
                case .showCode: decoder.boolean(value).map(MessageOption.showCode)
                case .general, .duplicate, .unreachable: decoder.nonNull(value)?.text.map(MessageOption.text)
                }
            add(Self(name: name, option: option), value)
        }
    }

    package var merging: SettingMerging { .byName(name.rawValue, isUnset: option == nil) }
}

/// A value under `messages`.
package enum MessageOption: Sendable {
    /// The names under `messages`.
    package enum Name: String, Sendable, CaseIterable {
        case general, duplicate, unreachable, showCode
    }

    /// A message.
    case text(String)
    /// Whether codes are shown.
    case showCode(Bool)
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
    /// The custom messages for kinds of failure.
    package var messages: [MessageOption.Name: Setting<MessageOption>] {
        var messages: [MessageOption.Name: Setting<MessageOption>] = [:]
        for entry in all(MessageSetting.self) {
            if let option = entry.value.option { messages[entry.value.name] = entry.map { _ in option } }
        }
        return messages
    }
}
