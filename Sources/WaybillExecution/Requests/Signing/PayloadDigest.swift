import WaybillFormats
import WaybillPlatform
package import WaybillRuntime

/// The SHA-256 digest (FIPS 180-4) of a body that is added in pieces.
package struct PayloadDigest {
    private var digest = Digest(.sha256)

    /// The digest of an empty body.
    package init() {}

    /// Adds the next bytes.
    package mutating func update(_ bytes: [UInt8]) {
        digest.update(bytes)
    }

    /// Adds the bytes of a regular file, which it reads in pieces of 256 KiB. Blocks. Returns `nil` early if `goesOn`
    /// returns `false`.
    package mutating func update(contentsOf file: LocalFile, while goesOn: () -> Bool) throws(FileError) -> Void? {
        let (descriptor, _) = try file.open()
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while goesOn() {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileError(path: file.path, errno: errno) }
            guard count > 0 else { return () }
            buffer.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        return nil
    }

    /// The digest in hexadecimal, in lower case.
    package var hexadecimal: String { Hexadecimal.encode(digest.value) }
}
