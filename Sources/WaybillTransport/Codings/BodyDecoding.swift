/// Decodes the body of one response between libcurl and where the body is stored. Used only on the engine's thread.
final class BodyDecoding {
    /// The result of decoding some bytes.
    enum Outcome {
        case taken, later, never
        /// The bytes do not match the response's `Content-Encoding`.
        case malformed
        /// The bytes follow the end of the coded content.
        case excess
    }

    /// The values of the response's `Content-Encoding`.
    let codings: [String]

    private let decoder: ContentDecoder
    private let room: UnsafeMutableRawBufferPointer
    // How many decoded bytes in `room` have not been taken yet.
    private var filled = 0
    // How many of the bytes that libcurl will pass again are already decoded.
    private var decodedBefore = 0

    /// Creates a decoder for a body with these values of `Content-Encoding`; nil if there is nothing to decode.
    init?(_ codings: [String]) throws(ContentDecoder.Unknown) {
        guard let decoder = try ContentDecoder(codings) else { return nil }
        self.decoder = decoder
        self.codings = codings
        room = .allocate(byteCount: 64 << 10, alignment: 16)
    }

    deinit {
        room.deallocate()
    }

    /// Whether the coded content is complete and all of it has been taken.
    var isComplete: Bool { decoder.isComplete && filled == 0 }

    /// Decodes bytes and passes the result to `keep` in pieces. If `keep` returns `later`, so does this function, which
    /// must then be called again with the same bytes.
    func take(
        _ bytes: UnsafeRawBufferPointer,
        keep: (UnsafeRawBufferPointer) -> Transfer.ReceiveResult
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
