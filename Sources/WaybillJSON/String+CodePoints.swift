#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension String {
    /// Whether two strings are the same sequence of code points. `==` also holds for canonical equivalents.
    package func hasSameCodePoints(as other: String) -> Bool {
        let (left, right) = (utf8, other.utf8)
        guard left.count == right.count else { return false }
        let isSame = left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return memcmp(left, right, other.utf8.count) == 0
            }
        }
        return (isSame ?? nil) ?? left.elementsEqual(right)
    }

    /// Whether a string comes before another by code points, which is also the order of their UTF-8 bytes.
    package func precedesByCodePoints(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Feeds the code points to a hasher, in agreement with `hasSameCodePoints(as:)`.
    package func hashCodePoints(into hasher: inout Hasher) {
        var copy = self
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
