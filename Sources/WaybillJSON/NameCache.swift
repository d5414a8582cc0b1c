import WaybillPlatform

/// The names that a parser has read recently, so that the records of a list share them.
///
/// Each hash has one slot. A newer name replaces an older one, so that the cache stays small for any text.
struct NameCache: ~Copyable {
    /// The minimum size, in bytes, of a text for which a cache is worthwhile.
    static let smallestUse = 2048

    private struct Entry {
        var name = ""
        /// The same name in the text that is being parsed.
        var text = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    }

    private var entries: ContiguousArray<Entry> = []

    /// Returns a fast hash of a name's bytes. It need not be secret: collisions only cost a little time.
    static func hash(_ text: UnsafeBufferPointer<UInt8>) -> UInt32 {
        let raw = UnsafeRawBufferPointer(text)
        var first: UInt64 = 0
        var last: UInt64 = 0
        if raw.count >= 8 {
            first = raw.loadUnaligned(as: UInt64.self)
            last = raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self)
        } else {
            for byte in raw { first = first << 8 | UInt64(byte) }
        }
        let mixed = (first ^ (last &* 31) ^ UInt64(raw.count)) &* 0x9E37_79B9_7F4A_7C15
        return UInt32(truncatingIfNeeded: mixed >> 32)
    }

    /// Returns the name with these bytes, if it is in the cache.
    func name(_ text: UnsafeBufferPointer<UInt8>, hash: UInt32) -> String? {
        guard !entries.isEmpty else { return nil }
        let known = entries[Int(hash >> 24)].text
        guard known.count == text.count, let left = known.baseAddress, let right = text.baseAddress,
            memcmp(left, right, text.count) == 0
        else { return nil }
        return entries[Int(hash >> 24)].name
    }

    /// Adds a name to the cache.
    mutating func keep(_ name: String, _ text: UnsafeBufferPointer<UInt8>, hash: UInt32) {
        if entries.isEmpty { entries = ContiguousArray(repeating: Entry(), count: 256) }
        entries[Int(hash >> 24)] = Entry(name: name, text: text)
    }
}
