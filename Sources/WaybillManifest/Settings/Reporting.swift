// How requests are marked and reported: `debug`, `trace`, `tag`, `standalone`, `messages`.

/// Whether the request and its response are reported in full (`debug`).
package struct DebugSetting: ValueSetting {
    package static let key = "debug"
    package let value: Bool
}

/// Whether the request names its trace in a `traceparent` field (`trace`).
package struct TraceSetting: ValueSetting {
    package static let key = "trace"
    package let value: Bool
}

/// A label to find requests by (`tag`).
package struct TagSetting: ValueSetting {
    package static let key = "tag"
    package let value: String

    package var merging: SettingMerging { .adds() }
}

/// Whether no setting of defaults or service applies (`standalone`).
package struct StandaloneSetting: ValueSetting {
    package static let key = "standalone"
    package let value: Bool
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
    /// The custom messages for kinds of failure.
    package var messages: [MessageOption.Name: Setting<MessageOption>] {
        var messages: [MessageOption.Name: Setting<MessageOption>] = [:]
        for entry in all(MessageSetting.self) {
            if let option = entry.value.option { messages[entry.value.name] = entry.map { _ in option } }
        }
        return messages
    }
}

/// The settings of this file, looked up.
extension Settings {
    package var debug: Setting<DebugSetting.Value>? { self[DebugSetting.self] }
    package var trace: Setting<TraceSetting.Value>? { self[TraceSetting.self] }
    package var standalone: Setting<StandaloneSetting.Value>? { self[StandaloneSetting.self] }
    package var tags: [Setting<TagSetting>] { all(TagSetting.self) }
}
