/// Short checksums that tell things apart (FNV-1a), and are no secret-keeping digests.
package enum Checksum {
    /// The checksum of some bytes, in digits and letters.
    package static func text(of bytes: ArraySlice<UInt8>) -> String {
        String(bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 36)
    }
}
