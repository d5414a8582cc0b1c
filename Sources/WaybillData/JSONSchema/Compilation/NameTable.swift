/// A fixed set of names, found by their code points: open addressing over one hash of the UTF-8 bytes.
///
/// `Dictionary` with `String` keys would hold canonically equivalent names for equal, and normalises to find that out.
struct NameTable: Sendable {
    /// The names in the order in which they were added; a name's position is its index.
    private(set) var names: [String] = []
    private var hashes: [UInt64] = []
    private var slots: [Int32] = []

    init(_ names: [String] = []) {
        for name in names { insert(name) }
    }

    /// The index of a name, which is added if it is new.
    @discardableResult
    mutating func insert(_ name: String) -> Int {
        if let index = index(of: name) { return index }
        names.append(name)
        hashes.append(Self.hash(name))
        if names.count * 2 > slots.count {
            slots = Array(repeating: -1, count: max(8, slots.count * 2))
            for index in names.indices { place(index) }
        } else {
            place(names.count - 1)
        }
        return names.count - 1
    }

    /// The index of a name; `nil` if it is none of the set.
    func index(of name: String) -> Int? {
        guard !slots.isEmpty else { return nil }
        let hash = Self.hash(name)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] >= 0 {
            let index = Int(slots[slot])
            if hashes[index] == hash, names[index].hasSameCodePoints(as: name) { return index }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private mutating func place(_ index: Int) {
        var slot = Int(truncatingIfNeeded: hashes[index]) & (slots.count - 1)
        while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Int32(index)
    }

    /// FNV-1a, with its high bits folded down because the table looks at the low ones.
    private static func hash(_ name: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash ^ (hash >> 32)
    }
}
