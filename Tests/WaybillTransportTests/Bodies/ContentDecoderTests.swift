import Testing
import WaybillTestSupport

@testable import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct ContentDecoderTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let codings: [String]
        let bytes: [UInt8]
        var says = SampleBodies.hello
        var testDescription: String { codings.description }
    }

    static let samples = [
        Sample(codings: ["gzip"], bytes: SampleBodies.gzippedHello),
        Sample(codings: ["X-GZip, identity"], bytes: SampleBodies.gzippedHello),
        Sample(codings: ["deflate"], bytes: SampleBodies.deflatedHello),
        // Without zlib's frame: two bytes before, four after.
        Sample(codings: ["deflate"], bytes: Array(SampleBodies.deflatedHello.dropFirst(2).dropLast(4))),
        Sample(codings: ["br"], bytes: SampleBodies.brotliHello),
        Sample(codings: ["zstd"], bytes: SampleBodies.zstandardHello),
        Sample(
            codings: ["gzip"],
            bytes: SampleBodies.gzippedHello + SampleBodies.gzippedHello,
            says: SampleBodies.hello + SampleBodies.hello
        ),
        Sample(
            codings: ["zstd"],
            bytes: SampleBodies.zstandardHello + SampleBodies.zstandardHello,
            says: SampleBodies.hello + SampleBodies.hello
        ),
    ]

    /// Decodes bytes in pieces of one size into buffers of another. Returns nil if the bytes are not valid.
    static func decode(
        _ bytes: [UInt8],
        by decoder: ContentDecoder,
        pieces: Int,
        room size: Int
    ) -> String? {
        var said: [UInt8] = []
        var room = [UInt8](repeating: 0, count: size)
        var start = 0
        while start < bytes.count {
            let piece = Array(bytes[start..<min(bytes.count, start + pieces)])
            start += piece.count
            let isGood = piece.withUnsafeBytes { piece in
                var rest = piece[...]
                while let count = room.withUnsafeMutableBytes({ decoder.decode(&rest, into: $0) }) {
                    if count == 0 { return rest.isEmpty }
                    said += room[..<count]
                }
                return false
            }
            guard isGood else { return nil }
        }
        return String(decoding: said, as: UTF8.self)
    }

    @Test(arguments: samples, [(1, 1), (1, 1000), (7, 3), (1000, 1), (1000, 1000)])
    func `encoded content is decoded in pieces of any size`(_ sample: Sample, sizes: (pieces: Int, room: Int)) throws {
        let decoder = try #require(try ContentDecoder(sample.codings))
        let said = Self.decode(sample.bytes, by: decoder, pieces: sizes.pieces, room: sizes.room)
        #expect(said == sample.says)
        #expect(decoder.isComplete)
    }

    @Test(arguments: samples.prefix(6))
    func `content that is cut short anywhere is not complete`(_ sample: Sample) throws {
        for count in 1..<sample.bytes.count {
            let decoder = try #require(try ContentDecoder(sample.codings))
            _ = Self.decode(Array(sample.bytes[..<count]), by: decoder, pieces: 1000, room: 1000)
            #expect(!decoder.isComplete, "\(count) bytes")
        }
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd"])
    func `content that does not match its coding is detected`(coding: String) throws {
        let decoder = try #require(try ContentDecoder([coding]))
        let bytes = [UInt8](repeating: 0xFF, count: 100)
        #expect(Self.decode(bytes, by: decoder, pieces: 1000, room: 1000) == nil)
        #expect(!decoder.isComplete)
    }

    @Test(arguments: samples, [(1, 1), (1, 1000), (1000, 1), (1000, 1000)])
    func `bytes after the end of encoded content are detected`(
        _ sample: Sample,
        sizes: (pieces: Int, room: Int)
    ) throws {
        let decoder = try #require(try ContentDecoder(sample.codings))
        let bytes = sample.bytes + Array("after".utf8)
        #expect(Self.decode(bytes, by: decoder, pieces: sizes.pieces, room: sizes.room) == nil)
        // A frame of zstd starts with several bytes, which may arrive one by one.
        #expect(decoder.hasBytesAfterEnd || (sample.codings == ["zstd"] && sizes.pieces == 1))
    }

    @Test(arguments: [1, 1000])
    func `zeros after gzip and a checksum after deflate without a frame are ignored`(pieces: Int) throws {
        for (sample, end) in [
            (Self.samples[0], [UInt8](repeating: 0, count: 600)),
            (Self.samples[0], [0, 0] + SampleBodies.gzippedHello + [0]),
            (Self.samples[3], Array(SampleBodies.deflatedHello.suffix(4))),
        ] {
            let decoder = try #require(try ContentDecoder(sample.codings))
            let said = Self.decode(sample.bytes + end, by: decoder, pieces: pieces, room: 1000)
            #expect(said?.hasPrefix(sample.says) == true)
            #expect(decoder.isComplete)
        }
    }

    /// Content of no bytes, and what follows it or content; the rest of `deflatedHello` is its checksum.
    static let endings: [(coding: String, bytes: [UInt8], rest: [UInt8])] = [
        ("br", [0x3B], [0]), ("br", [0x06], Array("after".utf8)),
        ("zstd", [0x28, 0xB5, 0x2F, 0xFD, 0x20, 0, 1, 0, 0], [0]),
        ("gzip", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0], [1]),
        ("deflate", [0x78, 0x9C, 3, 0, 0, 0, 0, 1], [0]), ("deflate", [3, 0], [0]), ("deflate", [3, 0], [0, 0, 0, 0]),
        ("deflate", Array(SampleBodies.deflatedHello.dropFirst(2).dropLast(4)), [0, 0, 0, 0]),
        ("deflate", Array(SampleBodies.deflatedHello.dropFirst(2)), [0]),
        ("deflate", Array(SampleBodies.deflatedHello.dropFirst(2).dropLast(4)), [0x44]),
        ("deflate", Array(SampleBodies.deflatedHello.dropFirst(2).dropLast(4)), [0x44, 0x28, 0x06]),
    ]

    @Test(arguments: endings, [1, 1000])
    func `no byte after content of any length is ignored`(
        _ ending: (coding: String, bytes: [UInt8], rest: [UInt8]),
        pieces: Int
    ) throws {
        let decoder = try #require(try ContentDecoder([ending.coding]))
        #expect(Self.decode(ending.bytes, by: decoder, pieces: pieces, room: 1000) != nil)
        #expect(decoder.isComplete)
        let other = try #require(try ContentDecoder([ending.coding]))
        let said = Self.decode(ending.bytes + ending.rest, by: other, pieces: pieces, room: 1000)
        #expect(said == nil || !other.isComplete, "\(ending)")
    }

    @Test func `several codings are decoded in reverse order`() async throws {
        let folder = TemporaryFolder()
        let inner = folder.write(SampleBodies.zstandardHello, to: "inner")
        let bytes = try await Command.run("/bin/sh", ["-c", "gzip"], input: inner).output
        for codings in [["zstd, gzip"], ["zstd", "gzip"]] {
            let decoder = try #require(try ContentDecoder(codings))
            #expect(Self.decode(bytes, by: decoder, pieces: 5, room: 4) == SampleBodies.hello)
            #expect(decoder.isComplete)
        }
    }

    @Test(arguments: [[], [""], ["identity"], ["identity, ,"]])
    func `without a coding there is no decoder`(codings: [String]) throws {
        #expect(try ContentDecoder(codings) == nil)
    }

    @Test(arguments: [["compress"], ["gzip, waybill"], ["gzip, gzip, gzip", "gzip, gzip, gzip"]])
    func `unknown codings and too many codings are refused`(codings: [String]) {
        #expect(throws: ContentDecoder.Unknown.self) { try ContentDecoder(codings) }
    }
}
