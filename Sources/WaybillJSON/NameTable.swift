import WaybillPlatform

/// A set of names that are compared by their code points: open addressing with a fast hash of the UTF-8 bytes.
///
/// `Dictionary` with `String` keys would treat canonically equivalent names as equal, and normalises strings to compare
/// them. The hash is not secret: the names are those of a schema, and a collision costs only one comparison.
package struct NameTable: Sendable {
    /// The names in the order in which they were added. The position of a name is its index.
    package private(set) var names: [String] = []
    /// The concatenated bytes of all names, and the offset of each.
    private var bytes: [UInt8] = []
    private var starts: [Int] = [0]
    /// The hash in the upper half and the index, from 1, in the lower; 0 if free.
    private var slots: [UInt64] = []

    /// Creates a set of names. A repeated name keeps its first position.
    package init(_ names: [String] = []) {
        for name in names { insert(name) }
    }

    /// Returns the index of a name, which is added if it is new.
    @discardableResult
    package mutating func insert(_ name: String) -> Int {
        if let index = index(of: name) { return index }
        names.append(name)
        bytes += Array(name.utf8)
        starts.append(bytes.count)
        if names.count * 2 > slots.count {
            slots = Array(repeating: 0, count: max(8, slots.count * 2))
            for index in names.indices { store(index) }
        } else {
            store(names.count - 1)
        }
        return names.count - 1
    }

    /// Returns the index of a name; `nil` if it is not in the set.
    package func index(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { index(of: $0, hash: Self.hash($0)) }
    }

    /// Returns the index of a name in UTF-8 whose hash is known.
    func index(of name: UnsafeBufferPointer<UInt8>, hash: UInt32) -> Int? {
        guard !slots.isEmpty else { return nil }
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 {
            if UInt32(slots[slot] >> 32) == hash {
                let index = Int(slots[slot] & 0xFFFF_FFFF) - 1
                if has(name, at: index) { return index }
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private func has(_ name: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        let start = starts[index]
        guard starts[index + 1] - start == name.count else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            guard let known = bytes.baseAddress, let name = name.baseAddress else { return true }
            return memcmp(known + start, name, starts[index + 1] - start) == 0
        }
    }

    private mutating func store(_ index: Int) {
        let name = bytes[starts[index]..<starts[index + 1]]
        let hash = name.withUnsafeBufferPointer { Self.hash($0) }
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt64(hash) << 32 | UInt64(index + 1)
    }

    /// Returns a fast hash of UTF-8 text, eight bytes at a time.
    static func hash(_ text: UnsafeBufferPointer<UInt8>) -> UInt32 {
        let raw = UnsafeRawBufferPointer(text)
        var hash = mixed(UInt64(raw.count))
        if raw.count < 8 {
            var last: UInt64 = 0
            for byte in raw { last = last << 8 | UInt64(byte) }
            hash = mixed(hash ^ last)
        } else {
            var offset = 0
            while offset < raw.count - 8 {
                hash = mixed(hash ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset += 8
            }
            hash = mixed(hash ^ raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self))
        }
        return UInt32(truncatingIfNeeded: hash)
    }

    private static func mixed(_ word: UInt64) -> UInt64 {
        let product = word &* 0x9E37_79B9_7F4A_7C15
        return product ^ product >> 32
    }
}
