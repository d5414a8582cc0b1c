import CZlib

/// Decodes gzip (RFC 1952) and what HTTP calls deflate: the zlib format (RFC 1950), or raw deflate data (RFC 1951),
/// which some servers send.
final class ZlibDecoder: CodingDecoder {
    /// The format around the compressed bytes.
    enum Frame {
        case gzip, deflate
    }

    var isComplete: Bool { hasEnded && (trailer.isEmpty || trailer.count == Self.trailerLength) }

    /// The length of the checksum that some servers send after raw deflate data, as in the zlib format.
    private static let trailerLength = 4

    private let frame: Frame
    // zlib keeps a pointer to it, so its address must not change.
    private let stream = z_streamp.allocate(capacity: 1)
    private var isStarted = false
    private var hasEnded = false
    /// The bytes after raw deflate data, and the checksum of its content (Adler-32), which they must be.
    private var trailer: [UInt8] = []
    private var checksum: uLong?

    /// Creates a decoder.
    init(_ frame: Frame) {
        self.frame = frame
        stream.initialize(to: z_stream())
    }

    deinit {
        if isStarted { inflateEnd(stream) }
        stream.deallocate()
    }

    func decode(_ input: inout Slice<UnsafeRawBufferPointer>, into room: UnsafeMutableRawBufferPointer) -> Int? {
        if !isStarted {
            guard let first = input.first else { return 0 }
            guard start(first) else { return nil }
        }
        var filled = 0
        repeat {
            if hasEnded {
                guard takeAfterEnd(&input) else { return nil }
                if hasEnded { break }
            }
            guard let count = inflate(&input, into: .init(rebasing: room[filled...])) else { return nil }
            filled += count
        } while hasEnded && filled < room.count
        return filled
    }

    private func start(_ first: UInt8) -> Bool {
        let largestWindow: Int32 = 15
        let windowBits =
            switch frame {
            case .gzip: largestWindow + 16
            // RFC 1950, section 2.2: method 8 with a window of at most 32 KiB. In raw data, this byte would start a
            // stored block with padding bits other than zeros, which no encoder writes.
            case .deflate: first & 0x0F == 8 && first >> 4 <= 7 ? largestWindow : -largestWindow
            }
        if windowBits < 0 { checksum = adler32(0, nil, 0) }
        isStarted = inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        return isStarted
    }

    /// Consumes what may follow the end: another gzip member (RFC 1952, section 2.2) or zero padding, which gzip and
    /// curl also ignore; after raw deflate data, its checksum. Returns false for anything else.
    private func takeAfterEnd(_ input: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        switch frame {
        case .gzip:
            input = input.drop { $0 == 0 }
            guard input.first == 0x1F, inflateReset(stream) == Z_OK else { return input.isEmpty }
            hasEnded = false
            return true
        case .deflate:
            guard let checksum else { return input.isEmpty }
            let expected = (0..<Self.trailerLength).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) }
            guard expected.starts(with: trailer + input.prefix(Self.trailerLength + 1)) else { return false }
            trailer += input
            input = input.dropFirst(input.count)
            return true
        }
    }

    private func inflate(
        _ input: inout Slice<UnsafeRawBufferPointer>,
        into room: UnsafeMutableRawBufferPointer
    ) -> Int? {
        let given = UInt32(clamping: input.count)
        let space = UInt32(clamping: room.count)
        let bytes = UnsafeRawBufferPointer(rebasing: input)
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = given
        stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = space
        let code = CZlib.inflate(stream, Z_NO_FLUSH)
        input = input.dropFirst(Int(given - stream.pointee.avail_in))
        switch code {
        case Z_STREAM_END: hasEnded = true
        case Z_OK, Z_BUF_ERROR: break
        default: return nil
        }
        let count = space - stream.pointee.avail_out
        checksum = checksum.map { adler32($0, room.baseAddress?.assumingMemoryBound(to: UInt8.self), count) }
        return Int(count)
    }
}
