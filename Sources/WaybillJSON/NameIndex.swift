/// The positions of the members of an object, by the hashes of their names, for objects too large for a linear search.
///
/// A hash table with linear probing. It does not contain the names: its user checks whether a position has the wanted
/// name.
package struct NameIndex: Sendable {
    /// The minimum number of members for an index. In smaller objects, a linear search is as fast.
    package static let smallestUse = 17

    /// 0 if free; otherwise the hash in the upper half and the position, from 1, in the lower.
    private var slots: [UInt64]

    /// Creates an empty index with room for a number of members.
    init(minimumCapacity: Int) {
        var size = 64
        while size < minimumCapacity * 2 { size *= 2 }
        slots = Array(repeating: 0, count: size)
    }

    /// Creates the index of distinct names in their order.
    package init(of names: some Collection<String>) {
        self.init(minimumCapacity: names.count)
        for (position, name) in names.enumerated() { insert(position, hash: Self.hash(name)) }
    }

    /// Returns the hash of a name. It is seeded per process, so that no document can force collisions.
    static func hash(_ name: String) -> UInt32 {
        var name = name
        return name.withUTF8 { hash($0) }
    }

    /// Returns the hash of a name in UTF-8.
    static func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(name))
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    /// Returns the position with a hash that has the wanted name.
    func position(hash: UInt32, where hasName: (Int) -> Bool) -> Int? {
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let position = Int(slots[slot] & 0xFFFF_FFFF) - 1
            if UInt32(slots[slot] >> 32) == hash, hasName(position) { return position }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds the next position for a new name. The position equals the number of positions added before.
    mutating func insert(_ position: Int, hash: UInt32) {
        if (position + 1) * 2 > slots.count { grow() }
        store(UInt64(hash) << 32 | UInt64(position + 1))
    }

    private mutating func store(_ entry: UInt64) {
        var slot = Int(entry >> 32) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = entry
    }

    private mutating func grow() {
        let entries = slots
        slots = Array(repeating: 0, count: entries.count * 2)
        for entry in entries where entry != 0 { store(entry) }
    }
}
