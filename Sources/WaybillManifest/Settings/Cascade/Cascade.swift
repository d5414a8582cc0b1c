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
