import WaybillDiagnostics
import WaybillJSON

/// The merging of settings that were written at several levels.
///
/// `headers`, `query`, `params`, `tls`, `resolve`, `messages` and `expect` merge name by name and `null` takes a name away;
/// `filters` and `expect.body` add up, farther first; everything else is replaced whole by the nearest that says it.
/// Of `auth` and the header field or query parameter that it is sent in, the nearer one is used.
package enum Cascade {
    /// Merges levels, the farthest first. A name that was taken away stays in the result as a removal.
    package static func merge(_ levels: some Sequence<Settings>) -> Settings {
        var merged = Settings()
        for level in levels where !level.isEmpty { merged.apply(level) }
        return merged
    }
}

extension Settings {
    /// Lays a nearer level over this one.
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
        // Most levels say a few things; only where two say very many, looking through all of them would take long.
        var index = entries.count * near.entries.count > 4096 ? Slot.index(of: entries) : nil
        for entry in near.entries {
            let slot = Slot(entry.value)
            let taken = slot.flatMap { slot in index.map { $0[slot] } ?? entries.lastIndex { Slot($0.value) == slot } }
            if let taken {
                replace(at: taken, by: entry)
            } else {
                if let slot { index?[slot] = entries.count }
                append(entry)
            }
        }
    }

    /// Removes the credentials that are sent in a header field or query parameter of a nearer level, and such a field or
    /// parameter where the credentials are nearer.
    private mutating func removeCredentials(replacedBy near: Settings) {
        if let auth = near.auth?.value {
            if has(.headers) || has(.query) { self = without { auth.isSent(in: $0.value) } }
        } else if let auth = auth?.value, near.entries.contains(where: { auth.isSent(in: $0.value) }) {
            remove(.auth)
        }
    }

    /// The settings without the names that `null` took away, but for header fields that a request has by itself: that
    /// those are not wanted still has to be known when it is sent.
    package var withoutRemovals: Settings { without { $0.value.isRemoval && !$0.value.removesDefaultField } }
}

extension SettingValue {
    /// Whether it takes a header field away that requests have without being told to.
    fileprivate var removesDefaultField: Bool {
        guard case .header(let name, nil) = self else { return false }
        return ["accept", "accept-encoding", "content-type", "priority", "user-agent"].contains(name.value.lowercased())
    }
}

/// What a nearer entry takes the place of: a key, or a part of one.
struct Slot: Hashable {
    private let name: SettingName
    private let part: CodePoints

    /// The slot of a value; `nil` where it is added to others.
    init?(_ value: SettingValue) {
        guard !value.isAdded else { return nil }
        name = value.name
        switch value {
        // Names of header fields have no case (RFC 9110, section 5.1).
        case .header, .expectHeader: part = CodePoints(value.part?.lowercased() ?? "")
        default: part = CodePoints(value.part ?? "")
        }
    }

    /// Where each slot of some entries is.
    static func index(of entries: [Setting<SettingValue>]) -> [Slot: Int] {
        var index: [Slot: Int] = [:]
        for (position, entry) in entries.enumerated() {
            if let slot = Slot(entry.value) { index[slot] = position }
        }
        return index
    }
}
