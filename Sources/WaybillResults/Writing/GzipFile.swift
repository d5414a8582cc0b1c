import CZlib
import WaybillPlatform

/// Compresses a file as one gzip member (RFC 1952), without a time or name, so that the same records yield the same
/// file.
enum GzipFile {
    /// The number of bytes read at once.
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
        guard let stream = unsafe gzdopen(output.duplicate(), "wb") else {
            throw ResultsError(cannot: "compress", path, code: ENOMEM)
        }
        do throws(ResultsError) {
            while case let piece = try input.next(pieceBytes), !piece.isEmpty {
                if isStopped() { throw .stopped(path) }
                guard unsafe gzwrite(stream, piece, UInt32(piece.count)) > 0 else {
                    throw ResultsError(cannot: "write", path)
                }
            }
        } catch {
            unsafe gzclose(stream)
            throw error
        }
        guard unsafe gzclose(stream) == Z_OK else { throw ResultsError(cannot: "write", path) }
        try output.sync()
        if isStopped() { throw .stopped(path) }
        return try output.size()
    }
}
