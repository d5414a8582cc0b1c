import Testing
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct JSONWriterTests {
    @Test func `only required characters are escaped, in the shortest form`() {
        let text = "\"\\/\u{8}\u{C}\n\r\t\0\u{1F}\u{7F}é\u{2028}𝄞"
        #expect(JSONWriter().string(.string(text)) == #""\"\\/\b\f\n\r\t\u0000\u001f"# + "\u{7F}é\u{2028}𝄞\"")
    }

    @Test func `the pretty layout puts each element and member on its own line`() {
        let value: JSON = ["name": "x", "list": [1, [], [:], [.null]], "empty": [:]]
        #expect(
            JSONWriter(layout: .pretty).string(value) == """
                {
                  "name": "x",
                  "list": [
                    1,
                    [],
                    {},
                    [
                      null
                    ]
                  ],
                  "empty": {}
                }
                """
        )
    }

    @Test func `a deeply nested value is written and read back`() throws {
        var value: JSON = 1
        for level in 0..<JSON.greatestDepth { value = level.isMultiple(of: 2) ? [value] : ["a": value] }
        var bytes: [UInt8] = []
        JSONWriter().write(value, to: &bytes)
        var parser = JSONParser()
        parser.maximumDepth = .max
        #expect(try parser.parse(bytes) == value)
        #expect(bytes.count == JSON.greatestDepth / 2 * (2 + 6) + 1)
    }

    @Test func `an excerpt is the start of the text, and a large value is not written to its end`() {
        for value: JSON in [["a": [1, 2, 3]], "äöü", [["é", "é"], []]] {
            for length in 1...20 {
                #expect(JSONWriter().excerpt(of: value, length) == JSONWriter().string(value).excerpt(length))
            }
        }
        var value: JSON = 1
        // Written, it would have 2^60 elements.
        for _ in 0..<60 { value = [value, value] }
        #expect(JSONWriter().excerpt(of: value, 61) == String(repeating: "[", count: 60) + "1…")
    }

    @Test func `a text that would be too long is not written to its end`() {
        let value = JSON.array(Array(repeating: "a string of some length", count: 1_000_000))
        let writer = JSONWriter(stopsAtDeadline: true, maximumBytes: 100_000)
        #expect(writer.wholeText(value) == nil)
        #expect(writer.string(value).utf8.count < 200_000)
        #expect(writer.wholeText(.string(String(repeating: "a", count: 100_000))) == nil)
        #expect(writer.wholeText([1, 2]) == Array("[1,2]".utf8))
    }

    @Test func `a writer that stops at the deadline leaves the rest out`() async {
        let value = JSON.array(Array(repeating: "a string of some length", count: 100_000))
        let whole = JSONWriter().string(value).utf8.count
        #expect(JSONWriter(stopsAtDeadline: true).string(value).utf8.count == whole)
        let count = await WorkLimit.limited({ true }) {
            JSONWriter(stopsAtDeadline: true).string(value).utf8.count
        }
        #expect(count < whole / 10)
        let (isSmallWritten, isWhole) = await WorkLimit.limited({ true }) {
            let writer = JSONWriter(stopsAtDeadline: true)
            return (writer.wholeText([1, 2]) != nil, writer.wholeText(value) != nil)
        }
        #expect(isSmallWritten && !isWhole)
    }

    @Test func `the size of a value counts each part in each place, and has a limit`() throws {
        var size = JSONSize(limit: 10_000)
        let list = JSON.array(Array(repeating: "a string of some length", count: 20))
        try size.add(list)
        let single = size.bytes
        try size.add([list, list])
        #expect(size.bytes >= 3 * single)
        #expect(throws: JSONSize.Excess.self) { try size.add([list, list, list, list, list]) }
        var deep: JSON = 1
        for _ in 0...JSON.greatestDepth { deep = [deep] }
        #expect(throws: JSONSize.Excess.self) { try size.add(deep) }
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `a written value is read back unchanged, digit for digit`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = generator.value(depth: 6)
        for layout in [JSONWriter.Layout.compact, .pretty] {
            let text = JSONWriter(layout: layout).string(value)
            let read = try JSONParser().parse(Array(text.utf8))
            #expect(read == value)
            #expect(read.hashValue == value.hashValue)
            #expect(JSONWriter(layout: layout).string(read) == text)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct JSONDigitsTests {
    @Test(arguments: 0..<10 as Range<UInt64>)
    func `random numbers keep their digits`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let text = generator.numberText()
            let number = try #require(JSONNumber(parsing: text))
            #expect(number.text == text)
            #expect(try JSONWriter().string(JSONParser().parse(Array("[\(text)]".utf8))) == "[\(text)]")
            #expect(number.double == Double(text))
        }
    }
}

/// Random JSON values, which are the same for the same seed (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func value(depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &self) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &self))
        case 2, 3: return .number(JSONNumber(parsing: numberText()) ?? JSONNumber(0))
        case 4: return .string(string())
        case 5, 6: return .array((0..<Int.random(in: 0..<8, using: &self)).map { _ in value(depth: depth - 1) })
        default:
            let count = Int.random(in: 0..<30, using: &self)
            return .object(JSONObject((0..<count).map { _ in (name: string(), value: value(depth: depth - 3)) }))
        }
    }

    private mutating func digits(_ counts: ClosedRange<Int>) -> String {
        String((0..<Int.random(in: counts, using: &self)).map { _ in "0123456789".randomElement(using: &self) ?? "0" })
    }

    mutating func numberText() -> String {
        let whole = Bool.random(using: &self) ? "0" : "7" + digits(0...22)
        let fraction = Bool.random(using: &self) ? "" : "." + digits(1...22)
        let exponents = ["", "", "e", "E+", "e-"].randomElement(using: &self) ?? ""
        return (Bool.random(using: &self) ? "-" : "") + whole + fraction
            + (exponents.isEmpty ? "" : exponents + digits(1...4))
    }

    private mutating func string() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "Z", "0", " ", "\"", "\\", "/", "\n", "\u{0}", "\u{1B}", "é", "東", "𝄞", "\u{301}",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0..<20, using: &self) {
            text.unicodeScalars.append(scalars.randomElement(using: &self) ?? "a")
        }
        return text
    }
}
