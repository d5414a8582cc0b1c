import CZlib
import WaybillPlatform

/// Compresses a file as one gzip member (RFC 1952), without a time or name, so that the same records yield the same
/// file.
enum GzipFile {
    /// The number of bytes read and written at once.
    private static let pieceBytes = 256 * 1024

    /// Writes a compressed copy of a file, and waits until it is on the disk.
    ///
    /// - Parameters:
    ///   - earlier: The file that the copy will replace, whose permissions it gets.
    ///   - isStopped: Whether to stop early. Asked for each piece.
    /// - Returns: The size of the copy.
    static func write(
        _ path: String,
        from source: String,
        replacing earlier: String,
        until isStopped: () -> Bool = { false }
    ) throws(ResultsError) -> Int {
        try OutputFile.removeEarlier(path)
        let input = try InputFile(source)
        let output = try OutputFile(path, .new)
        output.adoptPermissions(of: earlier)
        // zlib stores the address of the stream.
        let stream = z_streamp.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        defer { unsafe stream.deallocate() }
        let gzipWindow: Int32 = 15 + 16
        let memoryLevel: Int32 = 8
        guard
            unsafe deflateInit2_(
                stream,
                Z_DEFAULT_COMPRESSION,
                Z_DEFLATED,
                gzipWindow,
                memoryLevel,
                Z_DEFAULT_STRATEGY,
                ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)
            ) == Z_OK
        else { throw ResultsError(cannot: "compress", path, code: ENOMEM) }
        defer { unsafe deflateEnd(stream) }
        var isAtEnd = false
        while !isAtEnd {
            if isStopped() { throw .stopped(path) }
            var piece = try input.next(pieceBytes)
            isAtEnd = piece.isEmpty
            for part in unsafe compressed(&piece, isLast: isAtEnd, stream) { try output.write(part) }
        }
        try output.sync()
        if isStopped() { throw .stopped(path) }
        return try output.size()
    }

    private static func compressed(_ piece: inout [UInt8], isLast: Bool, _ stream: z_streamp) -> [[UInt8]] {
        unsafe piece.withUnsafeMutableBufferPointer { piece in
            unsafe stream.pointee.next_in = piece.baseAddress
            unsafe stream.pointee.avail_in = UInt32(piece.count)
            var parts: [[UInt8]] = []
            repeat {
                let part = unsafe [UInt8](unsafeUninitializedCapacity: pieceBytes) { buffer, count in
                    unsafe stream.pointee.next_out = buffer.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(buffer.count)
                    unsafe deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    count = unsafe buffer.count - Int(stream.pointee.avail_out)
                }
                if !part.isEmpty { parts.append(part) }
            } while unsafe stream.pointee.avail_out == 0
            return parts
        }
    }
}
