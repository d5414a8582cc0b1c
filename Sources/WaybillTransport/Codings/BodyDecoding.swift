/// Decodes the body of one response on its way from libcurl to where it is kept. Used only on the engine's thread.
final class BodyDecoding {
    /// What became of bytes.
    enum Outcome {
        case taken, later, never
        /// The bytes do not match the response's `Content-Encoding`.
        case malformed
        /// They follow the end of what the response's `Content-Encoding` says.
        case excess
    }

    /// The values of the response's `Content-Encoding`.
    let codings: [String]

    private let decoder: ContentDecoder
    private let room: UnsafeMutableRawBufferPointer
    // How much of the room nobody has taken yet.
    private var filled = 0
    // How many of the bytes that libcurl will give once more are decoded already.
    private var decodedBefore = 0

    /// Makes ready for a body with these values of `Content-Encoding`; nil when there is nothing to decode.
    init?(_ codings: [String]) throws(ContentDecoder.Unknown) {
        guard let decoder = try ContentDecoder(codings) else { return nil }
        self.decoder = decoder
        self.codings = codings
        room = .allocate(byteCount: 64 << 10, alignment: 16)
    }

    deinit {
        room.deallocate()
    }

    /// Whether the body has come to its end, by its own words.
    var isComplete: Bool { decoder.isComplete && filled == 0 }

    /// Takes bytes, and gives what they say to `keep`, piece by piece. When it answers `later`, so does this, and is to be
    /// given the same bytes once more.
    func take(
        _ bytes: UnsafeRawBufferPointer,
        keep: (UnsafeRawBufferPointer) -> Transfer.Reception
    ) -> Outcome {
        var rest = bytes.dropFirst(decodedBefore)
        while true {
            if filled > 0 {
                switch keep(.init(rebasing: room[..<filled])) {
                case .taken: filled = 0
                case .never: return .never
                case .later:
                    decodedBefore = max(decodedBefore, bytes.count - rest.count)
                    return .later
                }
            }
            guard let count = decoder.decode(&rest, into: room) else {
                return decoder.hasBytesAfterEnd ? .excess : .malformed
            }
            filled = count
            if count == 0 {
                decodedBefore = max(0, decodedBefore - bytes.count)
                return .taken
            }
        }
    }
}
