import CBrotli

/// Decodes br (RFC 7932).
final class BrotliDecoder: CodingDecoder {
    private(set) var isComplete = false

    private let state: OpaquePointer

    /// Creates a decoder; nil if there is not enough memory.
    init?() {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { return nil }
        self.state = state
    }

    deinit {
        BrotliDecoderDestroyInstance(state)
    }

    func decode(_ input: inout Slice<UnsafeRawBufferPointer>, into room: UnsafeMutableRawBufferPointer) -> Int? {
        guard !isComplete else { return input.isEmpty ? 0 : nil }
        let bytes = UnsafeRawBufferPointer(rebasing: input)
        var next = bytes.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }
        var inputCount = bytes.count
        var output = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var outputCount = room.count
        let result = BrotliDecoderDecompressStream(state, &inputCount, &next, &outputCount, &output, nil)
        // The other results ask for more input or more room.
        guard result != BROTLI_DECODER_RESULT_ERROR else { return nil }
        isComplete = result == BROTLI_DECODER_RESULT_SUCCESS
        input = input.dropFirst(bytes.count - inputCount)
        let count = room.count - outputCount
        // Without output, the caller does not ask again.
        return isComplete && count == 0 && !input.isEmpty ? nil : count
    }
}
