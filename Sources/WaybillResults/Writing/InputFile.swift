import WaybillPlatform

/// An open file that is read from start to end, piece by piece.
struct InputFile: ~Copyable {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(ResultsError) {
        descriptor = try RegularFile.open(path, O_RDONLY | O_NOFOLLOW, to: "read")
        self.path = path
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Reads the next piece, at most this many bytes; empty at the end of the file.
    func next(_ limit: Int) throws(ResultsError) -> [UInt8] {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initializedCount in
                count = read(descriptor, buffer.baseAddress, limit)
                initializedCount = max(0, count)
            }
            if count >= 0 { return bytes }
            if errno != EINTR { throw ResultsError(cannot: "read", path) }
        }
    }
}
