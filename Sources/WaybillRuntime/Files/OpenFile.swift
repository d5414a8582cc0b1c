import WaybillPlatform

/// Reads from and writes to open files. Calls that a signal interrupts are repeated.
package enum OpenFile {
    /// Returns the next bytes of a file, at most this many; none at its end.
    ///
    /// - Parameter offset: Where to read; by default after what was read before.
    package static func read(
        _ limit: Int,
        from descriptor: Int32,
        at offset: Int? = nil
    ) throws(SystemError) -> [UInt8] {
        while true {
            var error: SystemError?
            let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
                let count =
                    offset.map { pread(descriptor, buffer.baseAddress, limit, off_t($0)) }
                    ?? WaybillPlatform.read(descriptor, buffer.baseAddress, limit)
                if count < 0 { error = .last }
                filled = max(0, count)
            }
            guard let error else { return bytes }
            guard error.errno == EINTR else { throw error }
        }
    }

    /// Writes all bytes to a file, and removes those that were written. If that fails, the others remain.
    package static func write(_ bytes: inout ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) {
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { WaybillPlatform.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw count < 0 ? .last : SystemError(EIO) }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Writes all bytes to a file.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        try write(&rest, to: descriptor)
    }
}
