import CNettle

/// Computes the digest of bytes that arrive in pieces.
package struct Digest: Sendable {
    /// MD5 (RFC 1321), SHA-1, SHA-256 and SHA-512 (FIPS 180-4).
    package enum Algorithm: String, CaseIterable, Sendable {
        case md5, sha1, sha256, sha512

        /// The size of a digest in bytes.
        package var byteCount: Int { unsafe Int(hash.digest_size) }

        fileprivate var hash: nettle_hash {
            switch self {
            case .md5: unsafe nettle_md5
            case .sha1: unsafe nettle_sha1
            case .sha256: unsafe nettle_sha256
            case .sha512: unsafe nettle_sha512
            }
        }
    }

    private let algorithm: Algorithm
    /// Nettle's state.
    private var context: [UInt8]

    /// Creates the digest of no bytes.
    package init(_ algorithm: Algorithm) {
        self.algorithm = algorithm
        let hash = unsafe algorithm.hash
        context = unsafe [UInt8](repeating: 0, count: Int(hash.context_size))
        unsafe context.withUnsafeMutableBytes { unsafe hash.`init`($0.baseAddress) }
    }

    /// Adds the next bytes.
    package mutating func update(_ bytes: [UInt8]) {
        let hash = unsafe algorithm.hash
        unsafe context.withUnsafeMutableBytes { unsafe hash.update($0.baseAddress, bytes.count, bytes) }
    }

    /// The digest of the bytes added so far.
    package var value: [UInt8] {
        var hash = unsafe algorithm.hash
        var context = context
        var value = unsafe [UInt8](repeating: 0, count: Int(hash.digest_size))
        unsafe context.withUnsafeMutableBytes { unsafe nettle_finish_hash(&hash, $0.baseAddress, &value) }
        return value
    }

    /// Returns the digest of bytes.
    package static func value(of bytes: [UInt8], _ algorithm: Algorithm) -> [UInt8] {
        var digest = Digest(algorithm)
        digest.update(bytes)
        return digest.value
    }

    /// Returns the SHA-256 digest of bytes in lower-case hexadecimal.
    package static func sha256(of bytes: [UInt8]) -> String {
        Hexadecimal.encode(value(of: bytes, .sha256))
    }

    /// Returns the HMAC of bytes with SHA-256 (RFC 2104).
    package static func hmacSHA256(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var context = hmac_sha256_ctx()
        var value = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
        unsafe nettle_hmac_sha256_set_key(&context, key.count, key)
        unsafe nettle_hmac_sha256_update(&context, bytes.count, bytes)
        unsafe nettle_finish_hmac_sha256(&context, &value)
        return value
    }
}

/// Hexadecimal encoding of bytes.
package enum Hexadecimal {
    /// Returns two lower-case digits for each byte.
    package static func encode(_ bytes: [UInt8]) -> String {
        let text = [UInt8](capacity: 2 * bytes.count) { text in
            for byte in bytes {
                text.append(digit(byte >> 4))
                text.append(digit(byte & 15))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }
}
