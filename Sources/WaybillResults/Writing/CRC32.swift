import CZlib

/// The CRC-32 checksum of the bytes of a file (RFC 1952, section 8), with which the journal detects that a file does not
/// have the content that was written to it.
struct CRC32: Sendable {
    /// The checksum of the bytes so far.
    var value: UInt32 = 0

    /// Adds the bytes that follow.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        value = unsafe bytes.withUnsafeBytes { bytes in
            unsafe UInt32(crc32_z(uLong(value), bytes.baseAddress, z_size_t(bytes.count)))
        }
    }
}
