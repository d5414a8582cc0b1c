/// Undoes the codings of a response's content (RFC 9110, section 8.4), piece by piece.
///
/// libcurl could do it, but takes content that ends in the middle of its coding for whole.
final class ContentDecoder {
    /// A value for `Accept-Encoding`: what can be undone here.
    static let accepted = "deflate, gzip, br, zstd"

    /// Why there is no decoder.
    struct Unknown: Error {
        /// What was to be undone.
        let coding: String
    }

    // More than one in a row is unusual, and many are an attack.
    private static let maximumCodings = 5

    private let decoders: [any CodingDecoder]
    // What each decoder but the first has yet to take, and how much of it was taken.
    private var waiting: [(bytes: [UInt8], taken: Int)]
    /// Whether decoding failed because something else followed the end of the coded content.
    private(set) var hasBytesAfterEnd = false

    /// A decoder for the values of `Content-Encoding`; nil when there is nothing to undo.
    init?(_ values: [String]) throws(Unknown) {
        let names = values.flatMap { $0.split(separator: ",") }.map {
            $0.filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        // The coding that was applied last comes first.
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

    /// Whether the content has come to its end, by its own words.
    var isComplete: Bool { decoders.allSatisfy(\.isComplete) }

    /// Takes bytes from the front of the input and writes what they say into the room; gives how many bytes were written,
    /// 0 when more input is needed. Nil for what is not so coded.
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

/// Undoes one coding of content (RFC 9110, section 8.4), piece by piece.
protocol CodingDecoder: AnyObject {
    /// Whether the coded content has come to its end, by its own words.
    var isComplete: Bool { get }

    /// Takes bytes from the front of the input and writes what they say into the room, as far as it goes; gives how many
    /// bytes were written. It has taken all that it can when there is room left. Nil for what is not so coded, and
    /// for what follows the end.
    func decode(_ input: inout Slice<UnsafeRawBufferPointer>, into room: UnsafeMutableRawBufferPointer) -> Int?
}
