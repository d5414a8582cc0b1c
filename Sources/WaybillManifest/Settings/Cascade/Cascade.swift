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
        // Most levels have few entries, for which a linear search is faster than a table.
        var positions: [Slot: Int]?
        if near.entries.count > 16 {
            positions = [:]
            for (index, entry) in entries.enumerated() { if let slot = Slot(entry.value) { positions?[slot] = index } }
        }
        for entry in near.entries {
            let slot = Slot(entry.value)
            let replaced = slot.flatMap { slot in
                positions.map { $0[slot] } ?? entries.lastIndex { slot.takes($0.value) }
            }
            if let replaced { replace(at: replaced, by: entry) } else { append(entry) }
            if replaced == nil, let slot { positions?[slot] = entries.count - 1 }
        }
    }

    /// Removes the credentials that are sent in a header field or query parameter of a nearer level, and such a field
    /// or parameter if the credentials are nearer.
    private mutating func removeCredentials(replacedBy near: Settings) {
        if let auth = near.auth?.value {
            if has(HeaderSetting.key) || has(QuerySetting.key) { self = without { auth.isSent(in: $0.value) } }
        } else if let auth = auth?.value,
            near.entries.contains(where: { auth.isSent(in: $0.value) })
        {
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
}

/// How a cascade uses a setting, and how a request uses one that applies.
package enum SettingEffect: Sendable {
    /// It applies. For a cascade, this includes a setting that unsets a name.
    case used
    /// It applies, and removes a name with `null`.
    case removal
    /// It applies, but the request may go to an origin other than the service's. This is known only after its URL was
    /// evaluated.
    case ownOriginOnly
    /// The request goes to an origin other than the service's.
    case otherOrigin
    /// The request is `standalone`: the level does not apply.
    case standalone
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
        for name in settings.declined {
            let name = Setting(name.value, at: name.span, level: level)
            for group in groups.indices where groups[group].last?.setting.value.key == name.value {
                end(group, as: .declined(by: name))
            }
        }
        replaceCredentials(by: settings)
        for entry in settings.entries {
            let slot = Slot(entry.value)
            let group = slot.flatMap { positions[$0] } ?? groups.count
            if group < groups.count { end(group, by: entry) } else { groups.append([]) }
            groups[group].append(TracedSetting(setting: entry, effect: .used))
            if let slot { positions[slot] = group }
        }
    }

    /// Marks the credentials that are sent in a header field or query parameter of a nearer level, and such a field or
    /// parameter if the credentials are nearer.
    private mutating func replaceCredentials(by settings: Settings) {
        let near = settings.entries.last { $0.value.key == Authentication.key }
        for group in groups.indices {
            let far = groups[group].last?.setting.value
            if let near, let auth = near.value as? Authentication {
                if let far, auth.isSent(in: far) { end(group, by: near) }
            } else if let auth = far as? Authentication,
                let field = settings.entries.last(where: { auth.isSent(in: $0.value) })
            {
                end(group, by: field)
            }
        }
    }

    private mutating func end(_ group: Int, by near: Setting<any SettingDefinition>) {
        end(group, as: near.value.isUnset ? .unset(by: near) : .replaced(by: near))
    }

    /// Marks the last setting of a group, unless it is already known to have no effect.
    private mutating func end(_ group: Int, as effect: SettingEffect) {
        let last = groups[group].count - 1
        if case .used = groups[group][last].effect { groups[group][last].effect = effect }
    }
}
