import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

@Suite(.timeLimit(.minutes(5))) struct YAMLScalarTests {
    @Test(
        arguments: [
            ("", .null), ("~", .null), ("null", .null), ("Null", .null), ("NULL", .null), ("nULL", "nULL"),
            ("true", true), ("True", true), ("TRUE", true), ("false", false), ("FALSE", false), ("tRUE", "tRUE"),
            ("yes", "yes"), ("no", "no"), ("on", "on"), ("off", "off"), ("y", "y"), ("n", "n"),
            ("1:30", "1:30"), ("2024-01-01", "2024-01-01"), ("12e", "12e"), ("1.2.3", "1.2.3"), ("-x", "-x"),
            (".", "."),
            ("+", "+"), ("0x", "0x"), ("0o8", "0o8"), ("0x-1", "0x-1"), ("-0x1", "-0x1"), ("1_000", "1_000"),
            ("e5", "e5"), (".e5", ".e5"), ("١", "١"), (".inf", ".inf"), ("-.Inf", "-.Inf"), (".nan", ".nan"),
            ("'1'", "1"), ("\"true\"", "true"), ("|\n  1", "1"), (">-\n  ~", "~"),
        ] as [(String, JSON)]
    )
    func `a scalar is resolved by the core schema`(source: String, expected: JSON) {
        #expect(value(of: source) == expected)
    }

    @Test(
        arguments: [
            ("12345678901234567890", "12345678901234567890"), ("1.10", "1.10"), ("1e400", "1e400"), ("-0", "-0"),
            ("001", "1"), ("-007", "-7"), ("+12", "12"), ("000", "0"), ("0o14", "12"), ("0x1F", "31"),
            ("0xffffffffffffffffffffffffffffffff", "340282366920938463463374607431768211455"),
            (".5", "0.5"), ("-.5", "-0.5"), ("1.", "1.0"), ("1.e5", "1.0e5"), ("+1.50E+3", "1.50E+3"), ("00.5", "0.5"),
        ]
    )
    func `a number keeps its digits and follows the grammar of JSON`(source: String, expected: String) {
        #expect(value(of: source)?.number?.text == expected)
    }

    @Test(
        arguments: [
            ("!!str 1", "1"), ("! 1", "1"), ("!!int '3'", 3), ("!!float 1", 1), ("!!bool 'true'", true),
            ("!!null ''", .null), ("!!str", ""), ("!!seq [1]", [1]), ("!!map {b: 1}", ["b": 1]),
            ("!!float .inf", ".inf"),
            ("!!int 0x1F", 31), ("!<tag:yaml.org,2002:str> 1", "1"),
        ] as [(String, JSON)]
    )
    func `an explicit tag is honoured`(source: String, expected: JSON) {
        #expect(value(of: source) == expected)
    }

    @Test(arguments: ["001", "1.10", "+1", "0x1F", "yes", "1:30"])
    func `the text of a plain scalar is unchanged`(source: String) {
        let scalar = YAMLReader().read(SourceFile(yaml: "a: \(source)  # comment\n")).document?["a"]?.scalar
        #expect(scalar?.text == source)
        #expect(scalar?.style == .plain)
    }

    @Test(arguments: [
        (#"{"a": "\ud83d\ude00!"}"#, "😀!"), (#"{"a": "\uD83D\uDE00\ud83d\udE01"}"#, "😀😁"),
        (#"{"a": "\\ud83d\\ude00"}"#, #"\ud83d\ude00"#), (#"{"a": "é\ud83d\ude00", "b": 1}"#, "é😀"),
    ])
    func `a file in JSON can have escapes of surrogate pairs`(source: String, expected: String) throws {
        let (document, diagnostics) = YAMLReader().read(SourceFile(yaml: source))
        #expect(diagnostics == [])
        #expect(document?["a"]?.json == .string(expected))
    }

    @Test(arguments: [
        #"{"a": "\ud83d"}"#, #"{"a": "\ude00\ud83d"}"#, #"{"a": "\ud83d\ude00", b: 1}"#, #"a: "\ud83d\ude00""#,
        #"{"a": "\ud83d\ude00\ue001"}"#,
    ])
    func `other escapes of surrogates are errors`(source: String) {
        #expect(
            YAMLReader().read(SourceFile(yaml: source)).1.map(\.headline) == ["the escape is not a Unicode character"]
        )
    }

    @Test func `a scalar has the style in which it was written`() {
        let file = SourceFile(yaml: "[p, 's', \"d\"]\n--- |\n l\n--- >\n f\n")
        let (documents, _) = YAMLReader().readStream(file)
        let scalars = (documents.first?.sequence ?? []) + documents.dropFirst()
        #expect(scalars.map { $0.scalar?.style } == [.plain, .singleQuoted, .doubleQuoted, .literal, .folded])
    }

    @Test func `an entry is found by its name in any notation`() {
        let source = "{expect: 1, \"\\x70ath\": 2, 'a name of more than eight bytes': 3, 12: 4, '': 5, [x]: 6}"
        let (documents, _) = YAMLReader().readStream(SourceFile(yaml: source))
        let names = ["path", "expect", "a name of more than eight bytes", "12", "", "Path", "x"]
        #expect(names.map { documents.first?[$0]?.text } == ["2", "1", "3", "4", "5", nil, nil])
    }

    private func value(of source: String) -> JSON? {
        let (document, diagnostics) = YAMLReader().read(SourceFile(yaml: "a: \(source)\n"))
        #expect(diagnostics == [])
        // The final line break of a literal block does not matter here.
        if case .string(let text)? = document?["a"]?.json, text.hasSuffix("\n") {
            return .string(String(text.dropLast()))
        }
        return document?["a"]?.json
    }
}
