/// Follows the chunks of a body as they arrive (RFC 9112, section 7.1). libcurl decodes them, but it ignores what follows
/// the digits of a size, discards bytes after the last chunk, and does not wait for the last line break.
struct ChunkScanner {
    /// Where the next byte is.
    private enum State {
        /// In the digits of a size, in the blanks after them, or in an extension.
        case size, blanks, chunkExtension
        /// At the end of the line with the size.
        case sizeEnd
        /// In the bytes of a chunk, after them, or in the line break there.
        case data, dataEnd, dataReturn
        /// At the start of a line after the last chunk, later in that line, or in its line break.
        case trailerStart, trailer, trailerReturn
        /// In the line break after the last trailer.
        case lastReturn
        /// After the body.
        case end
    }

    /// What is wrong between the chunks: a size, or a carriage return without a line feed, which may be a line break for
    /// other recipients, so that they see other chunks (RFC 9112, section 2.2).
    private(set) var fault: ResponseFraming.Fault?
    /// Whether there are bytes after the body.
    private(set) var hasExcess = false
    /// Whether the body has ended, with its last line break.
    var isComplete: Bool { state == .end }

    private var state = State.size
    // Whether the line with the size ended without a carriage return.
    private var endsLinesWithLF = false
    // The size of the chunk, and then how many of its bytes are missing.
    private var size: UInt64 = 0

    /// Inspects the next bytes.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while fault == nil, let byte = rest.first {
            if state == .data {
                let count = Int(min(size, UInt64(rest.count)))
                rest = rest.dropFirst(count)
                size -= UInt64(count)
                if size == 0 { state = .dataEnd }
            } else {
                rest = rest.dropFirst()
                take(byte)
            }
        }
    }

    private mutating func take(_ byte: UInt8) {
        switch (state, byte) {
        case (.size, _) where Self.digit(byte) != nil:
            if size >> 60 != 0 { fault = .malformedChunk }
            size = size << 4 | (Self.digit(byte) ?? 0)
        case (.size, 0x20), (.size, 0x09), (.blanks, 0x20), (.blanks, 0x09): state = .blanks
        case (.size, UInt8(ascii: ";")), (.blanks, UInt8(ascii: ";")): state = .chunkExtension
        case (.size, 0x0D), (.blanks, 0x0D), (.chunkExtension, 0x0D): state = .sizeEnd
        case (.size, 0x0A), (.blanks, 0x0A), (.chunkExtension, 0x0A), (.sizeEnd, 0x0A):
            endsLinesWithLF = state != .sizeEnd
            state = size == 0 ? .trailerStart : .data
        case (.dataEnd, 0x0D): state = .dataReturn
        case (.dataReturn, 0x0A): state = .size
        case (.dataEnd, 0x0A) where endsLinesWithLF: state = .size
        // After a size with CR LF, a line feed alone may follow a CR that is one of the bytes that the size counts.
        case (.dataEnd, 0x0A): fault = .malformedChunk
        case (.trailerStart, 0x0D): state = .lastReturn
        case (.trailerStart, 0x0A), (.lastReturn, 0x0A): state = .end
        case (.trailer, 0x0D): state = .trailerReturn
        case (.trailer, 0x0A), (.trailerReturn, 0x0A): state = .trailerStart
        case (.trailerStart, 1...), (.trailer, 1...): state = .trailer
        case (.chunkExtension, 1...), (.data, _), (.dataEnd, _): break
        case (.size, _), (.blanks, _): fault = .malformedChunk
        case (.chunkExtension, _), (.sizeEnd, _), (.dataReturn, _), (.trailerStart, _), (.trailer, _),
            (.trailerReturn, _), (.lastReturn, _):
            fault = .strayCharacter
        case (.end, _): hasExcess = true
        }
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        default: nil
        }
    }
}
