import Testing
import WaybillTestSupport

@testable import WaybillFormats
@testable import WaybillJSON

/// Builds a binary property list from the bytes of its objects; the first object is the root.
private struct BinaryPropertyList {
    var objects: [[UInt8]]
    var referenceSize: UInt8 = 1
    /// Offsets that replace the correct ones, by object number.
    var offsets: [Int: Int] = [:]

    var bytes: [UInt8] {
        var bytes = Array("bplist00".utf8)
        var table: [UInt8] = []
        for (number, object) in objects.enumerated() {
            let offset = offsets[number] ?? bytes.count
            table += (0..<4).map { UInt8(truncatingIfNeeded: offset >> (24 - 8 * $0)) }
            bytes += object
        }
        let start = bytes.count
        bytes += table + [0, 0, 0, 0, 0, 0, 4, referenceSize]
        for number in [objects.count, 0, start] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        }
        return bytes
    }
}

@Suite(.timeLimit(.minutes(5))) struct BinaryPropertyListTests {
    /// Written by Python's plistlib.
    static let sample = """
        YnBsaXN0MDDXAQIDBAUGBwgJCgsSExRUbmFtZVFuU2JpZ1RsaXN0U3VpZFVlbXB0eVRsb25naABUAGUAYQAg2DTdHgAgAOkT//////////8UAAAA\
        AAAAAACAAAAAAAAAAKYMDQ4PEBEQASNABAAAAAAAAAkIQgD/M0HIWLGTgAAAgAfQXxAUeHh4eHh4eHh4eHh4eHh4eHh4eHgIFxweIicrMTZHUGFo\
        anN0dXiBg4QAAAAAAAABAQAAAAAAAAAVAAAAAAAAAAAAAAAAAAAAmw==
        """

    static let sampleBytes = Base64.decode(sample) ?? []

    @Test func `parsing stops when the time of the step has passed`() async {
        let array = [0xAF, 0x11, 0x13, 0x88] + [UInt8](repeating: 1, count: 5000)
        let bytes = BinaryPropertyList(objects: [array, [0x10, 1]]).bytes
        #expect((try? PropertyListParser().parse(bytes)) != nil)
        #expect(await WorkLimit.limited({ true }) { (try? PropertyListParser().parse(bytes)) == nil })
    }

    @Test func `a property list written by another program is read`() throws {
        let value = try PropertyListParser().parse(Self.sampleBytes)
        let expected: JSON = [
            "name": "Tea \u{1D11E} é", "n": -1, "big": .number(JSONNumber(validated: "9223372036854775808")),
            "list": [1, 2.5, true, false, "AP8=", "2026-11-21T05:27:03Z"], "uid": ["CF$UID": 7], "empty": [:],
            "long": .string(String(repeating: "x", count: 20)),
        ]
        #expect(value == expected)
        #expect(value.object?.names == expected.object?.names)
    }

    @Test(
        arguments: [
            ([0x00], .null),
            ([0x08], false),
            ([0x10, 0xFF], 255),
            ([0x11, 0xFF, 0xFF], 65535),
            ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], 4_294_967_295),
            ([0x13] + [UInt8](repeating: 0xFF, count: 8), -1),
            ([0x22, 0x3F, 0xC0, 0, 0], 1.5),
            ([0x33, 0, 0, 0, 0, 0, 0, 0, 0], "2001-01-01T00:00:00Z"),
            ([0x33, 0xBF, 0xE0, 0, 0, 0, 0, 0, 0], "2000-12-31T23:59:59.5Z"),
            ([0x33, 0xC2, 0x2D, 0x63, 0xC3, 0x7F, 0x00, 0x00, 0x00], "0001-01-01T00:00:00Z"),
            ([0x33, 0x42, 0x4D, 0x62, 0xD2, 0x3C, 0x7F, 0x80, 0x00], "9999-12-31T23:59:59Z"),
            ([0x40], ""),
            ([0x42, 1, 2], "AQI="),
            ([0x53, 0x61, 0, 0x62], "a\0b"),
            ([0x5F, 0x10, 1, 0x61], "a"),
            ([0x5F, 0x13, 0, 0, 0, 0, 0, 0, 0, 1, 0x61], "a"),
            ([0x62, 0xD8, 0x34, 0xDD, 0x1E], "\u{1D11E}"),
            ([0x61, 0xD8, 0x34], "\u{FFFD}"),
            ([0x80, 5], ["CF$UID": 5]),
            ([0x81, 1, 0], ["CF$UID": 256]),
            ([0xA0], []),
            ([0xC0], []),
            ([0xD0], [:]),
        ] as [([UInt8], JSON)]
    )
    func `an object has the expected value`(_ object: [UInt8], _ value: JSON) throws {
        #expect(try PropertyListParser().parse(BinaryPropertyList(objects: [object]).bytes) == value)
    }

    @Test(
        arguments: [
            ([0x14] + [UInt8](repeating: 0xFF, count: 16), "-1"),
            ([0x14, 0x80] + [UInt8](repeating: 0, count: 15), "-170141183460469231731687303715884105728"),
            ([0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xFF, count: 8), "18446744073709551615"),
            ([0x8F] + [UInt8](repeating: 0xFF, count: 16), "340282366920938463463374607431768211455"),
        ] as [([UInt8], String)]
    )
    func `integers of 128 bits are exact`(_ object: [UInt8], _ digits: String) throws {
        let value = try PropertyListParser().parse(BinaryPropertyList(objects: [object]).bytes)
        #expect((value.number ?? value["CF$UID"]?.number)?.text == digits)
    }

    @Test(
        arguments: [
            ([[0x07]], "unknown kind of object 0x7"),
            ([[0x0F]], "unknown kind of object 0xf"),
            ([[0x15]], "unknown kind of object 0x15"),
            ([[0x70]], "unknown kind of object 0x70"),
            ([[0x51, 0xE9]], "an ASCII string contains a byte that is not ASCII"),
            ([[0x54, 0x61]], "an object extends past the end of the bytes"),
            ([[0x44, 0x61]], "an object extends past the end of the bytes"),
            ([[0x62, 0, 0x61]], "an object extends past the end of the bytes"),
            ([[0xA2, 0]], "an object extends past the end of the bytes"),
            (
                [[0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]],
                "an object extends past the end of the bytes"
            ),
            ([[0xDF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0]], "an object extends past the end of the bytes"),
            (
                [[0x6F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]],
                "an object extends past the end of the bytes"
            ),
            ([[0xAF, 0x61]], "expected a count"),
            ([[0xAF]], "expected a count"),
            ([[0xA1, 1]], "object 1 does not exist"),
            ([[0xA1, 0]], "object 0 contains itself"),
            ([[0xA1, 1], [0xA1, 0]], "object 0 contains itself"),
            ([[0xD1, 1, 0], [0x51, 0x61]], "object 0 contains itself"),
            ([[0xD1, 1, 2], [0x09], [0x09]], "a key is not a string"),
            ([[0xD1, 1, 2], [0x41, 0], [0x09]], "a key is not a string"),
            ([[0x23, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]], "'nan' is not a number in JSON"),
            ([[0x23, 0xFF, 0xF0, 0, 0, 0, 0, 0, 0]], "'-inf' is not a number in JSON"),
            ([[0x22, 0x7F, 0x80, 0, 0]], "'inf' is not a number in JSON"),
            ([[0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0]], "a date is not in the years 1 to 9999"),
            ([[0x33, 0x42, 0x4D, 0x62, 0xD2, 0x3C, 0x80, 0x00, 0x00]], "a date is not in the years 1 to 9999"),
            ([[0x33, 0xC2, 0x2D, 0x63, 0xC3, 0x7F, 0x02, 0x00, 0x00]], "a date is not in the years 1 to 9999"),
        ] as [([[UInt8]], String)]
    )
    func `invalid objects are rejected`(_ objects: [[UInt8]], _ message: String) throws {
        let error = try #require(throws: PropertyListError.self) {
            try PropertyListParser().parse(BinaryPropertyList(objects: objects).bytes)
        }
        #expect(error.message == message)
    }

    @Test(arguments: [-1, 0, 7, 9, 100, Int(UInt32.max)])
    func `an offset outside the objects is rejected`(_ offset: Int) throws {
        var list = BinaryPropertyList(objects: [[0x09]])
        list.offsets[0] = offset
        let error = try #require(throws: PropertyListError.self) { try PropertyListParser().parse(list.bytes) }
        #expect(error.message == "the offset of object 0 leads outside the objects")
    }

    @Test func `other versions and truncated property lists are rejected`() {
        #expect(throws: PropertyListError("this version of binary property lists is not supported", at: 6)) {
            try PropertyListParser().parse(Array("bplist15".utf8) + [UInt8](repeating: 0, count: 50))
        }
        #expect(throws: PropertyListError("the binary property list is too short", at: 8)) {
            try PropertyListParser().parse(Array("bplist00".utf8))
        }
    }

    @Test func `objects with repeated references cannot expand without limit`() throws {
        func doubling(_ levels: Int) -> [UInt8] {
            let arrays = (1...levels).map { [0xA2, UInt8($0), UInt8($0)] }
            return BinaryPropertyList(objects: arrays + [[0x09]]).bytes
        }
        let small = try PropertyListParser().parse(doubling(10))
        #expect(JSONWriter().string(small).split(separator: ",").count == 1024)
        let error = try #require(throws: PropertyListError.self) { try PropertyListParser().parse(doubling(200)) }
        #expect(error.message == "objects with several references expand to more than 2000000 values")
    }

    @Test func `a long string with many references counts each time`() throws {
        let text = [0x5F, 0x12, 0x00, 0x10, 0x00, 0x00] + [UInt8](repeating: 0x61, count: 1 << 20)
        let array = [0xAF, 0x11, 0x0F, 0xFF] + [UInt8](repeating: 1, count: 0xFFF)
        let error = try #require(throws: PropertyListError.self) {
            try PropertyListParser().parse(BinaryPropertyList(objects: [array, text]).bytes)
        }
        #expect(error.message == "objects with several references expand to more than 2000000 values")
        #expect(throws: Never.self) {
            try PropertyListParser().parse(BinaryPropertyList(objects: [[0xA3, 1, 1, 1], text]).bytes)
        }
    }

    @Test func `overlapping objects cost no more than the size of the file`() throws {
        // A hundred object numbers refer to one long array: each is read separately, so each counts.
        let array = [0xAF, 0x11, 0x27, 0x10] + [UInt8](repeating: 0xFF, count: 10_000)
        var list = BinaryPropertyList(objects: [[0xAF, 0x10, 100] + (1...100)] + [array])
        list.objects += (2..<255).map { _ in [] } + [[0x09]]
        let first = 8 + list.objects[0].count
        for number in 1...100 { list.offsets[number] = first }
        let error = try #require(throws: PropertyListError.self) { try PropertyListParser().parse(list.bytes) }
        #expect(error.message == "too many objects overlap")
        list.objects[0] = [0xA2, 1, 2]
        for number in 1...2 { list.offsets[number] = 8 + 3 }
        #expect(try PropertyListParser().parse(list.bytes).array?.map(\.array?.count) == [10_000, 10_000])
    }

    @Test func `depth is limited, in whatever order objects are reached`() throws {
        let levels = 600
        let arrays = (1...levels).map { [0xA1, UInt8($0 >> 8), UInt8($0 & 255)] }
        let list = BinaryPropertyList(objects: arrays + [[0x09]], referenceSize: 2)
        let error = try #require(throws: PropertyListError.self) { try PropertyListParser().parse(list.bytes) }
        #expect(error.message == "arrays and dictionaries are nested more than 512 levels deep")
        var deeper = PropertyListParser()
        deeper.maximumDepth = levels
        #expect(try deeper.parse(list.bytes).array?.count == 1)
        // The lower half is read first, so it is already known when the upper half refers to it.
        let half = levels / 2
        let first = [0xA2, UInt8(half >> 8), UInt8(half & 255), 0, 1]
        let both = BinaryPropertyList(objects: [first] + arrays[1...] + [[0x09]], referenceSize: 2)
        #expect(throws: PropertyListError.self) { try PropertyListParser().parse(both.bytes) }
    }

    @Test(arguments: 0..<64)
    func `a truncated or damaged property list is either read or rejected`(_ seed: Int) {
        var random = SplitMix(state: UInt64(seed))
        for _ in 0..<200 {
            var bytes = Self.sampleBytes
            if random.next(below: 4) == 0 { bytes.removeLast(random.next(below: bytes.count)) }
            if random.next(below: 8) == 0, bytes.count > 48 { bytes.removeSubrange(8..<8 + random.next(below: 40)) }
            for _ in 0..<random.next(below: 6) where !bytes.isEmpty {
                bytes[random.next(below: bytes.count)] ^= UInt8(1 << random.next(below: 8))
            }
            do {
                let value = try PropertyListParser().parse(bytes)
                #expect(JSONWriter().string(value).utf8.count < 1 << 20)
            } catch {
                if case .byte(let offset) = error.position { #expect((0...bytes.count).contains(offset)) }
            }
        }
    }

    @Test func `every proper prefix is rejected`() {
        for length in 0..<Self.sampleBytes.count {
            #expect(throws: PropertyListError.self) {
                try PropertyListParser().parse(Array(Self.sampleBytes[..<length]))
            }
        }
    }
}
