import WaybillDiagnostics

/// How a cascade uses a setting.
package enum SettingEffect: Sendable {
    /// It applies. This includes a setting that unsets a name.
    case used
    /// A nearer level replaces it.
    case replaced(by: Setting<any SettingDefinition>)
    /// A nearer level unsets the name with `null`.
    case unset(by: Setting<any SettingDefinition>)
    /// A nearer level declines the key with `inherit`.
    case declined(by: Setting<String>)
}

/// A setting of a level and how the cascade uses it.
package struct TracedSetting: Sendable {
    /// The setting.
    package var setting: Setting<any SettingDefinition>
    /// How the cascade uses it.
    package var effect: SettingEffect
}

extension Cascade {
    /// Merges levels, the farthest first, and returns how each setting is used. The settings that apply are the result
    /// of `merge`.
    ///
    /// - Returns: The settings grouped by key and name, in the order of their first occurrence. In each group, the
    ///   farthest setting comes first.
    package static func trace(_ levels: some Sequence<(level: Level, settings: Settings)>) -> [TracedSetting] {
        var trace = Trace()
        for (level, settings) in levels { trace.apply(settings, at: level) }
        return trace.groups.flatMap { $0 }
    }
}

/// The levels of a cascade that were applied so far.
private struct Trace {
    /// The settings with the same key and name.
    var groups: [[TracedSetting]] = []
    private var positions: [Slot: Int] = [:]

    mutating func apply(_ settings: Settings, at level: Level) {
        for name in settings.declined { decline(Setting(name.value, at: name.span, level: level)) }
        replaceCredentials(by: settings)
        for entry in settings.entries {
            let traced = TracedSetting(setting: entry, effect: .used)
            guard let slot = Slot(entry.value) else {
                groups.append([traced])
                continue
            }
            guard let position = positions[slot] else {
                positions[slot] = groups.count
                groups.append([traced])
                continue
            }
            let last = groups[position].count - 1
            if case .used = groups[position][last].effect {
                groups[position][last].effect = entry.value.isUnset ? .unset(by: entry) : .replaced(by: entry)
            }
            groups[position].append(traced)
        }
    }

    /// Marks the credentials that are sent in a header field or query parameter of a nearer level, and such a field or
    /// parameter if the credentials are nearer.
    private mutating func replaceCredentials(by settings: Settings) {
        let near = settings.entries.last { $0.value.key == Authentication.key }
        for index in groups.indices {
            let last = groups[index].count - 1
            let far = groups[index][last]
            guard case .used = far.effect else { continue }
            if let auth = near?.value as? Authentication {
                if auth.isSent(in: far.setting.value), let near { groups[index][last].effect = .replaced(by: near) }
            } else if let auth = far.setting.value as? Authentication,
                let field = settings.entries.last(where: { auth.isSent(in: $0.value) })
            {
                groups[index][last].effect = field.value.isUnset ? .unset(by: field) : .replaced(by: field)
            }
        }
    }

    private mutating func decline(_ key: Setting<String>) {
        for group in groups.indices where groups[group].last?.setting.value.key == key.value {
            let last = groups[group].count - 1
            if case .used = groups[group][last].effect { groups[group][last].effect = .declined(by: key) }
        }
    }
}
