/// Decodes br (RFC 7932).
final class BrotliDecoder: CodingDecoder {
    /// The functions of libbrotlidec, by its manual.
    private struct Library {
        typealias Make = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> OpaquePointer?
        typealias Step =
            @convention(c) (
                OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
                UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
                UnsafeMutablePointer<Int>?
            ) -> Int32
        typealias Release = @convention(c) (OpaquePointer) -> Void

        let make: Make
        let step: Step
        let release: Release

        init?() {
            guard let make = LibCurl.function("BrotliDecoderCreateInstance"),
                let step = LibCurl.function("BrotliDecoderDecompressStream"),
                let release = LibCurl.function("BrotliDecoderDestroyInstance")
            else { return nil }
            self.make = unsafeBitCast(make, to: Make.self)
            self.step = unsafeBitCast(step, to: Step.self)
            self.release = unsafeBitCast(release, to: Release.self)
        }
    }

    private static let library = Library()

    /// Whether libbrotlidec is there.
    static var isAvailable: Bool { library != nil }

    private(set) var isComplete = false

    private let library: Library
    private let state: OpaquePointer

    /// A decoder; nil without libbrotlidec or memory.
    init?() {
        guard let library = Self.library, let state = library.make(nil, nil, nil) else { return nil }
        self.library = library
        self.state = state
    }

    deinit {
        library.release(state)
    }

    func decode(_ input: inout Slice<UnsafeRawBufferPointer>, into room: UnsafeMutableRawBufferPointer) -> Int? {
        guard !isComplete else {
            // What stands behind the end is dropped.
            input = input[input.endIndex...]
            return 0
        }
        let bytes = UnsafeRawBufferPointer(rebasing: input)
        var next = bytes.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }
        var given = bytes.count
        var place = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var space = room.count
        let result = library.step(state, &given, &next, &space, &place, nil)
        // BROTLI_DECODER_RESULT_ERROR and BROTLI_DECODER_RESULT_SUCCESS; the others want more input or more room.
        guard result != 0 else { return nil }
        isComplete = result == 1
        input = input.dropFirst(bytes.count - given)
        return room.count - space
    }
}
