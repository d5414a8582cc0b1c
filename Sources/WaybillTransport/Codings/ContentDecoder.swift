/// Decodes the content of a response (RFC 9110, section 8.4) in pieces.
///
/// libcurl could do this, but it treats truncated content as complete.
final class ContentDecoder {
    /// The value for `Accept-Encoding`: the supported codings.
    static let accepted = "deflate, gzip, br, zstd"

    /// The error for content with an unsupported coding.
    struct Unknown: Error {
        /// The unsupported coding, or all codings if there are too many.
        let coding: String
    }

    // More than one is unusual, and many are an attack.
    private static let maximumCodings = 5

    private let decoders: [any CodingDecoder]
    // The input of each decoder but the first, and how much of it the decoder has consumed.
    private var waiting: [(bytes: [UInt8], taken: Int)]
    /// Whether decoding failed because bytes followed the end of the coded content.
    private(set) var hasBytesAfterEnd = false

    /// Creates a decoder for the values of `Content-Encoding`; nil if there is nothing to decode.
    init?(_ values: [String]) throws(Unknown) {
        let names = values.flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }.map {
            String(decoding: $0.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).lowercased()
        }
        // The coding that was applied last is decoded first.
        let codings = names.filter { !$0.isEmpty && $0 != "identity" }.reversed()
        guard !codings.isEmpty else { return nil }
        guard codings.count <= Self.maximumCodings else { throw Unknown(coding: names.joined(separator: ", ")) }
        var decoders: [any CodingDecoder] = []
        for coding in codings {
            guard let decoder = Self.decoder(for: coding) else { throw Unknown(coding: coding) }
            decoders.append(decoder)
        }
        self.decoders = decoders
        waiting = decoders.map { _ in ([], 0) }
    }

    private static func decoder(for coding: String) -> (any CodingDecoder)? {
        switch coding {
        case "gzip", "x-gzip": ZlibDecoder(.gzip)
        case "deflate": ZlibDecoder(.deflate)
        case "br": BrotliDecoder()
        case "zstd": ZstandardDecoder()
        default: nil
        }
    }

    /// Whether the coded content is complete.
    var isComplete: Bool { decoders.allSatisfy(\.isComplete) }

    /// Decodes bytes from the front of the input into `room`. Returns how many bytes were written, 0 if more input is
    /// needed, and nil if the input is malformed.
    func decode(_ input: inout Slice<UnsafeRawBufferPointer>, into room: UnsafeMutableRawBufferPointer) -> Int? {
        decode(&input, into: room, upTo: decoders.count - 1)
    }

    private func decode(
        _ input: inout Slice<UnsafeRawBufferPointer>,
        into room: UnsafeMutableRawBufferPointer,
        upTo index: Int
    ) -> Int? {
        guard index > 0 else { return decode(&input, into: room, at: 0) }
        while true {
            guard let count = decodeWaiting(into: room, at: index) else { return nil }
            if count > 0 { return count }
            var bytes = [UInt8](repeating: 0, count: 16 << 10)
            guard let more = bytes.withUnsafeMutableBytes({ decode(&input, into: $0, upTo: index - 1) }) else {
                return nil
            }
            if more == 0 { return 0 }
            bytes.removeLast(bytes.count - more)
            waiting[index] = (bytes, 0)
        }
    }

    private func decodeWaiting(into room: UnsafeMutableRawBufferPointer, at index: Int) -> Int? {
        let (bytes, taken) = waiting[index]
        return bytes.withUnsafeBytes { bytes in
            var rest = bytes[taken...]
            defer { waiting[index].taken = rest.startIndex }
            return decode(&rest, into: room, at: index)
        }
    }

    private func decode(
        _ input: inout Slice<UnsafeRawBufferPointer>,
        into room: UnsafeMutableRawBufferPointer,
        at index: Int
    ) -> Int? {
        let count = decoders[index].decode(&input, into: room)
        hasBytesAfterEnd = count == nil && decoders[index].isComplete
        return count
    }
}

/// Decodes one coding of content (RFC 9110, section 8.4) in pieces.
protocol CodingDecoder: AnyObject {
    /// Whether the coded content is complete.
    var isComplete: Bool { get }

    /// Decodes bytes from the front of the input into `room` and returns how many bytes were written. If `room` is not
    /// full afterwards, all usable input has been consumed. Returns nil for malformed input and for bytes after the
    /// end.
    func decode(_ input: inout Slice<UnsafeRawBufferPointer>, into room: UnsafeMutableRawBufferPointer) -> Int?
}
