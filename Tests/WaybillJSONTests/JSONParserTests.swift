import Testing
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct JSONParserTests {
    private func parse(_ text: String) throws(JSONSyntaxError) -> JSON {
        try JSONParser().parse(Array(text.utf8))
    }

    @Test(
        arguments: [
            ("null", .null), (" true ", true), ("\t\r\nfalse", false), ("\"\"", ""), ("[]", []), ("{}", [:]),
            ("[ ]", []), ("{ }", [:]), ("[1,[2,[3]],{\"a\":[]}]", [1, [2, [3]], ["a": []]]),
            ("{\"a\":{\"b\":null},\"c\":[{},{}]}", ["a": ["b": .null], "c": [[:], [:]]]),
            ("\"12345678 and more than eight \\n bytes\"", "12345678 and more than eight \n bytes"),
            (#""\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\uD834\uDD1E\u0000""#, "\"\\/\u{8}\u{C}\n\r\tAé€𝄞\0"),
            ("\"Zürich 東京 𝄞\"", "Zürich 東京 𝄞"), ("\u{FEFF}1", 1),
        ] as [(String, JSON)]
    )
    func `a document has the expected value`(text: String, value: JSON) throws {
        #expect(try parse(text) == value)
    }

    private static func text(_ text: String) -> JSON { .bytes(Array(text.utf8)) }

    @Test(
        arguments: [
            (
                #"{"r":1,"k":{"u":"k","r": {"k":{"r":1}} ,"x":[2]}}"#,
                ["u": "k", "r": text(#"{"k":{"r":1}}"#), "x": [2]]
            ),
            (#"{"k":[{"r":1}, "\u0041"]}"#, text(#"[{"r":1}, "\u0041"]"#)), (#"{"k":true}"#, true), (#"{"k":{}}"#, [:]),
            (#"{"a":{"k":{"r":1}}}"#, nil), (#"{"k":{"r":[1,]}}"#, nil), (#"{"k":{"r":"\x"}}"#, nil),
        ] as [(String, JSON?)]
    )
    func `a member that is not decoded is checked, and its text is kept`(text: String, expected: JSON?) {
        var parser = JSONParser()
        parser.undecodedMember = ["k", "r"]
        #expect((try? parser.parse(Array(text.utf8)))?["k"] == expected)
    }

    @Test(
        arguments: [
            ("", 0, "expected a value"),
            ("[1 2]", 3, "expected a comma or ]"),
            ("[1", 2, "expected a comma or ]"),
            ("[1,]", 3, "expected a value"),
            ("{\"a\":1 \"b\"", 7, "expected a comma or }"),
            ("{\"a\":1,}", 7, "expected a name in quotes"),
            ("{a:1}", 1, "expected a name in quotes or }"),
            ("{\"a\" 1}", 5, "expected a colon"),
            ("1 2", 2, "unexpected content after the value"),
            ("tru", 0, "expected a value, such as true"),
            ("[\"abc", 5, "the string has no closing quote"),
            ("\"a\nb\"", 2, "a control character in a string must be escaped"),
            ("\"a\\x\"", 2, "JSON does not have this escape"),
            ("\"\\u12g4\"", 5, "expected four hexadecimal digits after \\u"),
            ("\"\\u12", 5, "expected four hexadecimal digits after \\u"),
            ("\"\\", 1, "JSON does not have this escape"),
            ("-", 1, "expected a digit"),
            ("01", 0, "a number cannot start with a zero before other digits"),
            ("1.", 2, "expected a digit after the decimal point"),
            ("1e+", 3, "expected a digit in the exponent"),
        ]
    )
    func `a syntax error is reported with its position`(text: String, offset: Int, message: String) {
        let error = #expect(throws: JSONSyntaxError.self) { try parse(text) }
        #expect(error?.offset == offset)
        #expect(error?.message == message)
    }

    @Test(
        arguments: [
            ([0x22, 0x61, 0xFF, 0x22], 2), ([0x22, 0xC3, 0xA9, 0xC0, 0x80, 0x22], 3), ([0x22, 0xE2, 0x82, 0x22], 1),
            ([0x22, 0xED, 0xA0, 0x80, 0x22], 1), ([0x22, 0x5C, 0x6E, 0xC3, 0x5C, 0x6E, 0x22], 3),
        ] as [([UInt8], Int)]
    )
    func `bytes that are not UTF-8 are rejected`(bytes: [UInt8], offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONParser().parse(bytes) }
        #expect(error?.message == "the text is not valid UTF-8")
        #expect(error?.offset == offset)
    }

    @Test(
        arguments: [
            (#""\uD834""#, "\u{FFFD}d834"), (#""\uDD1Ex""#, "\u{FFFD}dd1ex"),
            (#""\uD834\uD834\uDD1E""#, "\u{FFFD}d834𝄞"), (#""\uD834\n""#, "\u{FFFD}d834\n"),
            (#""\uD834\u0041""#, "\u{FFFD}d834A"), (#""\ud8Ff""#, "\u{FFFD}d8ff"),
        ]
    )
    func `a lone surrogate becomes a replacement character with its digits`(text: String, value: String) throws {
        #expect(try parse(text) == .string(value))
    }

    @Test(
        arguments: [
            (#"["\uD834\uDD1E"]"#, nil), (#"["a\uD834"]"#, .init(count: 1, firstOffset: 3)),
            (#"{"\uDD1E": "\uD834\uD834x\uD834\uDD1E"}"#, .init(count: 3, firstOffset: 2)),
        ] as [(String, JSONDocument.LoneSurrogates?)]
    )
    func `lone surrogates are counted, and the first one is located`(
        text: String,
        expected: JSONDocument.LoneSurrogates?
    ) throws {
        #expect(try JSONParser().parseDocument(Array(text.utf8)).loneSurrogates == expected)
    }

    @Test func `strings and names that differ only in lone surrogates are different`() throws {
        #expect(try parse(#"["\ud800", "\ud801", "\udc00"]"#).array.map { Set($0).count } == 3)
        #expect(try parse(#"{"\ud800": 1, "\ud801": 2}"#).object?.count == 2)
    }

    @Test func `the digits of an escape are hexadecimal, in either case`() {
        for code in UInt8(0)..<128 {
            let digit = Character(Unicode.Scalar(code))
            let text = Array("\"\\u004".utf8) + [code] + Array("\"".utf8)
            let expected = digit.hexDigitValue.flatMap { Unicode.Scalar(0x40 + $0) }.map { JSON.string(String($0)) }
            #expect((try? JSONParser().parse(text)) == expected, "\\u004\(digit)")
        }
        #expect((try? parse(#""\u00Af\uaBcD\uFFFf""#)) == "\u{AF}\u{ABCD}\u{FFFF}")
    }

    @Test func `a repeated name keeps its first position and its last value, and is reported`() throws {
        let text = #"{"a": 1, "b": {"c": 2}, "a": 3, "b": 4, "\u0061": 5}"#
        let document = try JSONParser().parseDocument(Array(text.utf8))
        #expect(JSONWriter().string(document.value) == #"{"a":5,"b":4}"#)
        #expect(document.duplicateName?.name == "a")
        #expect(document.duplicateName?.offset == 24)
        #expect(try JSONParser().parseDocument(Array("[{\"a\":1},{\"a\":1}]".utf8)).duplicateName == nil)
    }

    @Test func `repeated names are also found in large objects`() throws {
        let members = (0..<1000).map { "\"name \($0)\":\($0)" } + ["\"name 500\":-1", "\"name 3\":-2"]
        let text = "{" + members.joined(separator: ",") + "}"
        let document = try JSONParser().parseDocument(Array(text.utf8))
        #expect(document.duplicateName?.name == "name 500")
        #expect(document.value.object?.count == 1000)
        #expect(document.value["name 500"] == -1)
        #expect(document.value["name 3"] == -2)
        #expect(document.value["name 999"] == 999)
    }

    @Test func `nesting is limited`() throws {
        var parser = JSONParser()
        #expect(try parser.parse(Array((brackets(512)).utf8)) != .null)
        let error = #expect(throws: JSONSyntaxError.self) { try parser.parse(Array(brackets(513).utf8)) }
        #expect(error == JSONSyntaxError("values are nested more than 512 levels deep", at: 512))
        parser.maximumDepth = 2
        #expect(try parser.parse(Array("[{\"a\":1},[]]".utf8)) == [["a": 1], []])
        #expect(throws: JSONSyntaxError.self) { try parser.parse(Array("[{\"a\":[]}]".utf8)) }
        parser.maximumDepth = 1_000_000
        #expect(throws: JSONSyntaxError.self) { try parser.parse(Array(repeating: UInt8(ascii: "["), count: 100_000)) }
    }

    @Test func `a slice of a larger buffer can be parsed`() throws {
        let lines = Array("{\"a\":1}\n[2]\n\"x".utf8)
        let values = lines.split(separator: UInt8(ascii: "\n")).map { line in try? JSONParser().parse(line) }
        #expect(values == [["a": 1], [2], nil])
    }

    private func brackets(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
}
