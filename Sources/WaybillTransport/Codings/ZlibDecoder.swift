import CLibCurl

/// Decodes gzip (RFC 1952), and what HTTP calls deflate: RFC 1950, or RFC 1951 without its frame, which servers send too.
final class ZlibDecoder: CodingDecoder {
    private typealias Stream = UnsafeMutablePointer<waybill_zlib_stream>

    /// zlib's functions, by its manual.
    private struct Library {
        typealias Start = @convention(c) (Stream, Int32, UnsafePointer<CChar>, Int32) -> Int32
        typealias Step = @convention(c) (Stream, Int32) -> Int32
        typealias Change = @convention(c) (Stream) -> Int32

        let start: Start
        let step: Step
        let reset: Change
        let end: Change

        init?() {
            guard let start = LibCurl.function("inflateInit2_"), let step = LibCurl.function("inflate"),
                let reset = LibCurl.function("inflateReset"), let end = LibCurl.function("inflateEnd")
            else { return nil }
            self.start = unsafeBitCast(start, to: Start.self)
            self.step = unsafeBitCast(step, to: Step.self)
            self.reset = unsafeBitCast(reset, to: Change.self)
            self.end = unsafeBitCast(end, to: Change.self)
        }
    }

    /// What stands around the compressed bytes.
    enum Frame {
        case gzip, deflate
    }

    private static let library = Library()

    /// Whether zlib is there.
    static var isAvailable: Bool { library != nil }

    private(set) var isComplete = false

    private let library: Library
    private let frame: Frame
    // zlib remembers the address.
    private let stream: Stream
    private var isStarted = false

    /// A decoder; nil without zlib.
    init?(_ frame: Frame) {
        guard let library = Self.library else { return nil }
        self.library = library
        self.frame = frame
        stream = .allocate(capacity: 1)
        stream.initialize(to: waybill_zlib_stream())
    }

    deinit {
        if isStarted { _ = library.end(stream) }
        stream.deallocate()
    }

    func decode(_ input: inout Slice<UnsafeRawBufferPointer>, into room: UnsafeMutableRawBufferPointer) -> Int? {
        if !isStarted {
            guard let first = input.first else { return 0 }
            guard start(first) else { return nil }
        }
        var filled = 0
        repeat {
            if isComplete && !beginsAgain(&input) { break }
            guard let count = inflate(&input, into: .init(rebasing: room[filled...])) else { return nil }
            filled += count
        } while isComplete && filled < room.count
        return filled
    }

    private func start(_ first: UInt8) -> Bool {
        let largestWindow: Int32 = 15
        let windowBits =
            switch frame {
            case .gzip: largestWindow + 16
            // RFC 1950, section 2.2: method 8 with a window of at most 32 KiB. Without a frame, this would be a stored
            // block that is padded with other bits than zeros, which nobody writes.
            case .deflate: first & 0x0F == 8 && first >> 4 <= 7 ? largestWindow : -largestWindow
            }
        // Versions are compared by their first digit.
        let code = library.start(stream, windowBits, "1", Int32(MemoryLayout<waybill_zlib_stream>.size))
        isStarted = code == ZLibCode.ok
        return isStarted
    }

    /// RFC 1952, section 2.2: members may follow one another. What else stands behind the end is dropped.
    private func beginsAgain(_ input: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        guard frame == .gzip, input.first == 0x1F, library.reset(stream) == ZLibCode.ok else {
            input = input[input.endIndex...]
            return false
        }
        isComplete = false
        return true
    }

    private func inflate(
        _ input: inout Slice<UnsafeRawBufferPointer>,
        into room: UnsafeMutableRawBufferPointer
    ) -> Int? {
        let given = UInt32(clamping: input.count)
        let space = UInt32(clamping: room.count)
        let bytes = UnsafeRawBufferPointer(rebasing: input)
        stream.pointee.next_in = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = given
        stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = space
        let code = library.step(stream, 0)
        input = input.dropFirst(Int(given - stream.pointee.avail_in))
        switch code {
        case ZLibCode.end: isComplete = true
        case ZLibCode.ok, ZLibCode.nothingToDo: break
        default: return nil
        }
        return Int(space - stream.pointee.avail_out)
    }
}

private enum ZLibCode {
    static let ok: Int32 = 0
    static let end: Int32 = 1
    static let nothingToDo: Int32 = -5
}
