#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A fixed set of names, found by their code points: open addressing over a quick hash of the UTF-8 bytes.
///
/// `Dictionary` with `String` keys would hold canonically equivalent names for equal, and normalises to find that out.
/// The hash is no secret: the names are those of a schema, and a name that only collides costs one comparison.
package struct NameTable: Sendable {
    /// The names in the order in which they were added; a name's position is its index.
    package private(set) var names: [String] = []
    /// The bytes of all names, one behind the other, and for each where it begins.
    private var bytes: [UInt8] = []
    private var starts: [Int] = [0]
    /// The hash in the upper half and the index, from 1, in the lower; 0 where free.
    private var slots: [UInt64] = []

    /// A set of these names; one that comes again keeps its first place.
    package init(_ names: [String] = []) {
        for name in names { insert(name) }
    }

    /// The index of a name, which is added if it is new.
    @discardableResult
    package mutating func insert(_ name: String) -> Int {
        if let index = index(of: name) { return index }
        names.append(name)
        bytes += Array(name.utf8)
        starts.append(bytes.count)
        if names.count * 2 > slots.count {
            slots = Array(repeating: 0, count: max(8, slots.count * 2))
            for index in names.indices { place(index) }
        } else {
            place(names.count - 1)
        }
        return names.count - 1
    }

    /// The index of a name; `nil` if it is none of the set.
    package func index(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { index(of: $0, hash: Self.hash($0)) }
    }

    /// The index of a name in UTF-8 whose hash is known.
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

    private mutating func place(_ index: Int) {
        let name = bytes[starts[index]..<starts[index + 1]]
        let hash = name.withUnsafeBufferPointer { Self.hash($0) }
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt64(hash) << 32 | UInt64(index + 1)
    }

    /// A quick hash of a text in UTF-8, eight bytes at a time.
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
