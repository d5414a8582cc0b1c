import CLibCurl

/// Decodes zstd (RFC 8878).
final class ZstandardDecoder: CodingDecoder {
    /// The functions of libzstd, by its manual.
    private struct Library {
        typealias Make = @convention(c) () -> OpaquePointer?
        typealias Set = @convention(c) (OpaquePointer, Int32, Int32) -> Int
        typealias Step =
            @convention(c) (
                OpaquePointer, UnsafeMutablePointer<waybill_zstd_output>, UnsafeMutablePointer<waybill_zstd_input>
            ) -> Int
        typealias IsError = @convention(c) (Int) -> UInt32
        typealias Release = @convention(c) (OpaquePointer) -> Int

        let make: Make
        let set: Set
        let step: Step
        let isError: IsError
        let release: Release

        init?() {
            guard let make = LibCurl.function("ZSTD_createDCtx"),
                let set = LibCurl.function("ZSTD_DCtx_setParameter"),
                let step = LibCurl.function("ZSTD_decompressStream"),
                let isError = LibCurl.function("ZSTD_isError"), let release = LibCurl.function("ZSTD_freeDCtx")
            else { return nil }
            self.make = unsafeBitCast(make, to: Make.self)
            self.set = unsafeBitCast(set, to: Set.self)
            self.step = unsafeBitCast(step, to: Step.self)
            self.isError = unsafeBitCast(isError, to: IsError.self)
            self.release = unsafeBitCast(release, to: Release.self)
        }
    }

    private static let library = Library()

    /// Whether libzstd is there.
    static var isAvailable: Bool { library != nil }

    private(set) var isComplete = false

    private let library: Library
    private let context: OpaquePointer

    /// A decoder; nil without libzstd or memory.
    init?() {
        guard let library = Self.library, let context = library.make() else { return nil }
        self.library = library
        self.context = context
        // ZSTD_d_windowLogMax. RFC 9659: a window of 8 MB is as much as a server may expect.
        _ = library.set(context, 100, 23)
    }

    deinit {
        _ = library.release(context)
    }

    func decode(_ input: inout Slice<UnsafeRawBufferPointer>, into room: UnsafeMutableRawBufferPointer) -> Int? {
        // After a frame may come another one (RFC 8878, section 3.1), or nothing.
        if isComplete && input.isEmpty { return 0 }
        let bytes = UnsafeRawBufferPointer(rebasing: input)
        var source = waybill_zstd_input(src: bytes.baseAddress, size: bytes.count, pos: 0)
        var output = waybill_zstd_output(dst: room.baseAddress, size: room.count, pos: 0)
        repeat {
            let hint = library.step(context, &output, &source)
            guard library.isError(hint) == 0 else { return nil }
            // 0 says that a frame has ended and that all of it has been given out.
            isComplete = hint == 0
        } while source.pos < source.size && output.pos < output.size
        input = input.dropFirst(source.pos)
        return output.pos
    }
}
