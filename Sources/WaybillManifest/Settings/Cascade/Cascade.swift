import WaybillDiagnostics
import WaybillJSON

/// Merges the settings of several levels, as the definition of each setting specifies (`SettingDefinition.merging`).
///
/// `headers`, `query`, `params`, `tls`, `resolve`, `messages` and `expect` merge by name, and `null` unsets a name; `cache`
/// merges by name too. The entries of `filters` and `expect.body` are concatenated, farther levels first. Any other key
/// is replaced as a whole by the nearest level. If one level has `auth` and another the header field or query parameter
/// that it is sent in, the nearer one is used.
package enum Cascade {
    /// Merges levels, the farthest first. The result keeps the entries that unset a name.
    package static func merge(_ levels: some Sequence<Settings>) -> Settings {
        var merged = Settings()
        for level in levels where !level.isEmpty { merged.apply(level) }
        return merged
    }

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

extension Settings {
    /// Merges a nearer level into this one.
    package mutating func apply(_ near: Settings) {
        for name in near.declined { remove(name.value) }
        removeCredentials(replacedBy: near)
        guard !entries.isEmpty else {
            let (farther, unknownFarther) = (declined, unknown)
            self = near
            declined = farther + near.declined
            if !unknownFarther.isEmpty { unknown = unknownFarther.union(near.unknown) }
            return
        }
        declined += near.declined
        if !near.unknown.isEmpty { unknown.formUnion(near.unknown) }
        // Most levels have few entries; a linear search would be slow only for two levels with many.
        var index = entries.count * near.entries.count > 4096 ? Slot.index(of: entries) : nil
        for entry in near.entries {
            let slot = Slot(entry.value)
            let replaced = slot.flatMap { slot in index.map { $0[slot] } ?? entries.lastIndex { slot.takes($0.value) } }
            if let replaced {
                replace(at: replaced, by: entry)
            } else {
                if let slot { index?[slot] = entries.count }
                append(entry)
            }
        }
    }

    /// Removes the credentials that are sent in a header field or query parameter of a nearer level, and such a field
    /// or parameter if the credentials are nearer.
    private mutating func removeCredentials(replacedBy near: Settings) {
        if let auth = near.auth?.value {
            if has(HeaderSetting.key) || has(QuerySetting.key) { self = without { auth.isSent(in: $0.value) } }
        } else if let auth = auth?.value, near.entries.contains(where: { auth.isSent(in: $0.value) }) {
            remove(Authentication.key)
        }
    }
}

/// The unit that a nearer entry replaces: a key, or a name under a key.
struct Slot: Hashable {
    private let key: String
    private let part: CodePoints

    /// Creates the slot of a value; `nil` if the value is added to others.
    init?(_ value: any SettingDefinition) {
        key = value.key
        switch value.merging {
        case .replaces: part = CodePoints("")
        case .byName(let name, let ignoresCase, _): part = CodePoints(ignoresCase ? name.lowercased() : name)
        case .adds: return nil
        }
    }

    /// Whether the slot has the key and name of a value.
    func takes(_ value: any SettingDefinition) -> Bool { value.key == key && Slot(value) == self }

    /// Returns the positions of the slots of some entries.
    static func index(of entries: [Setting<any SettingDefinition>]) -> [Slot: Int] {
        var index: [Slot: Int] = [:]
        for (position, entry) in entries.enumerated() {
            if let slot = Slot(entry.value) { index[slot] = position }
        }
        return index
    }
}

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
    package var setting: Setting<any SettingDefinition>
    /// How the cascade uses it.
    package var effect: SettingEffect
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
