import CZstandard

/// Decodes zstd (RFC 8878).
final class ZstandardDecoder: CodingDecoder {
    private(set) var isComplete = false

    private let context: OpaquePointer

    /// Creates a decoder; nil if there is not enough memory.
    init?() {
        guard let context = ZSTD_createDCtx() else { return nil }
        self.context = context
        // RFC 9659: a server may expect a window of at most 8 MB (2^23 bytes).
        _ = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 23)
    }

    deinit {
        _ = ZSTD_freeDCtx(context)
    }

    func decode(_ input: inout Slice<UnsafeRawBufferPointer>, into room: UnsafeMutableRawBufferPointer) -> Int? {
        // Another frame may follow a frame (RFC 8878, section 3.1), or nothing.
        if isComplete && input.isEmpty { return 0 }
        let bytes = UnsafeRawBufferPointer(rebasing: input)
        var source = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
        repeat {
            let hint = ZSTD_decompressStream(context, &output, &source)
            guard ZSTD_isError(hint) == 0 else { return nil }
            // 0: a frame has ended and all of it has been written.
            isComplete = hint == 0
        } while source.pos < source.size && output.pos < output.size
        input = input.dropFirst(source.pos)
        return output.pos
    }
}
