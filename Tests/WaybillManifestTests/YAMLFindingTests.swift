import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

@Suite(.timeLimit(.minutes(5))) struct YAMLFindingTests {
    /// A marked source, the id of the only diagnostic, and the source of its secondary labels.
    @Test(
        arguments: [
            ("a: 1\nb: 2\n«a»: 3\n", "duplicate-key", ["a"]),
            ("{a: 1, «\"\\u0061\"»: 2}\n", "duplicate-key", ["a"]),
            ("a: «*nothing»\n", "unknown-alias", []),
            ("a: &a [1, «*a»]\n", "recursive-alias", ["&"]),
            ("a: &x\n  <<: «*x»\n", "recursive-alias", ["&"]),
            ("a:\n  <<: «1»\n", "invalid-merge", []),
            ("a:\n  <<: [{b: 1}, «2»]\n", "invalid-merge", []),
            ("a: «!secret» x\n", "unknown-tag", []),
            ("a: «!!timestamp» 2024-01-01\n", "unknown-tag", []),
            ("a: «!!set» {b}\n", "unknown-tag", []),
            ("a: !!int «x»\n", "tag-mismatch", ["!!int"]),
            ("a: !!int «1.0»\n", "tag-mismatch", ["!!int"]),
            ("a: !!bool «yes»\n", "tag-mismatch", ["!!bool"]),
            ("a: «!!str» [1]\n", "tag-mismatch", []),
            ("a: «!!seq» {}\n", "tag-mismatch", []),
            ("«[a, b]»: 1\n", "complex-key", []),
            ("a: 1\n«---»\nb: 2\n", "several-documents", []),
            ("«»", "empty-file", []),
            ("«»# only a comment\n\n", "empty-file", []),
        ].map { (YAMLMarkedText($0.0), $0.1, $0.2) }
    )
    func `an error is reported at its location`(text: YAMLMarkedText, id: String, others: [String]) {
        let diagnostics = YAMLReader().read(text.file).diagnostics
        #expect(diagnostics.map(\.id.name) == [id])
        #expect(text.marking(diagnostics.first?.primary?.span) == text.description)
        let secondary = diagnostics.first?.secondary ?? []
        #expect(secondary.map { String(decoding: text.file.bytes[$0.span.range], as: UTF8.self) } == others)
    }

    @Test func `every duplicate key is reported, even in large mappings`() {
        let names = (0..<40).map { "name\($0 % 20): \($0)\n" }.joined()
        let diagnostics = YAMLReader().read(SourceFile(yaml: names)).diagnostics
        #expect(diagnostics.count == 20)
        #expect(diagnostics.allSatisfy { $0.id == "duplicate-key" })
        #expect(diagnostics.first?.primary?.span.start == SourcePosition(line: 21, column: 1))
        #expect(diagnostics.first?.secondary.first?.span.start == SourcePosition(line: 1, column: 1))
    }

    @Test func `thousands of canonically equivalent keys do not slow the reader down`() {
        let keys = (0..<4096).map { number in
            (0..<12).map { number >> $0 & 1 == 0 ? "\u{E9}" : "e\u{301}" }.joined()
        }
        let merged = "- &all {\(keys.map { "\($0): 1" }.joined(separator: ", "))}\n- {<<: *all, <<: *all}\n"
        let (document, diagnostics) = YAMLReader().read(SourceFile(yaml: merged))
        #expect(diagnostics.map(\.id.name) == ["duplicate-key"])
        #expect(document?.sequence?.map { $0.mapping?.entries.count } == [4096, 4096])
    }

    @Test func `keys are compared by code points, not by canonical equivalence`() {
        let names = (0..<20).map { "\"\\u00e9\($0)\": 1\n\"e\\u0301\($0)\": 2\n" }.joined()
        let (document, diagnostics) = YAMLReader().read(SourceFile(yaml: names))
        #expect(diagnostics == [])
        #expect(document?["\u{E9}7"]?.json == 1)
        #expect(document?["e\u{301}7"]?.json == 2)
        #expect(YAMLReader().read(SourceFile(yaml: "\u{E9}: 1\ne\u{301}: 2\n")).diagnostics == [])
    }

    @Test func `all diagnostics are reported together, in source order`() {
        let text = "a: *x\nb: !foo 1\nc: 1\nc: 2\n? [k]\n: *y\n"
        let diagnostics = YAMLReader().read(SourceFile(yaml: text)).diagnostics
        #expect(
            diagnostics.map(\.id) == ["unknown-alias", "unknown-tag", "duplicate-key", "complex-key", "unknown-alias"]
        )
    }

    @Test(
        arguments: [
            (Array("a: \u{1}".utf8), "control-character", 3..<4),
            (Array("a: \u{7F}".utf8), "control-character", 3..<4),
            (Array("ü: \u{80}".utf8), "control-character", 4..<6),
            (Array("a: \u{FFFE}".utf8), "control-character", 3..<6),
            (Array("a: \0b".utf8), "binary-file", 3..<4),
            ([0x61, 0x3A, 0x20, 0xFF], "invalid-utf8", 3..<4),
            ([0x61, 0xC3], "invalid-utf8", 1..<2),
            ([0xC0, 0x80], "invalid-utf8", 0..<1),
            ([0xED, 0xA0, 0x80], "invalid-utf8", 0..<1),
            ([0xF4, 0x90, 0x80, 0x80], "invalid-utf8", 0..<1),
            ([0xE2, 0x28, 0xA1], "invalid-utf8", 0..<1),
            // The ends of lines of YAML 1.1: U+0085, U+2028, U+2029.
            ([0x23, 0x20, 0xC2, 0x85, 0x61], "control-character", 2..<4),
            ([0x23, 0x20, 0xE2, 0x80, 0xA8, 0x61], "control-character", 2..<5),
            ([0x23, 0x20, 0xE2, 0x80, 0xA9, 0x61], "control-character", 2..<5),
            ([0xFF, 0xFE, 0x61, 0x00], "invalid-utf8", 0..<0),
            ([0xFE, 0xFF, 0x00, 0x61], "invalid-utf8", 0..<0),
            ([0x00, 0x00, 0xFE, 0xFF], "invalid-utf8", 0..<0),
        ] as [([UInt8], String, Range<Int>)]
    )
    func `a source that is not UTF-8 text is rejected at the first invalid byte`(
        bytes: [UInt8],
        id: String,
        range: Range<Int>
    ) {
        let (document, diagnostics) = YAMLReader().read(SourceFile(name: "x", bytes: bytes))
        #expect(document == nil)
        #expect(diagnostics.map(\.id.name) == [id])
        #expect(diagnostics.first?.primary?.span.range == range)
    }

    @Test func `characters beyond ASCII are accepted`() {
        let text = "\u{FEFF}ä: \"\u{A0}€\u{E000}\u{FFFD}𝄞\"\n"
        #expect(YAMLReader().read(SourceFile(yaml: text)).diagnostics == [])
    }
}

@Suite(.timeLimit(.minutes(5))) struct YAMLAliasTests {
    @Test func `an alias is the node that its anchor names`() {
        let document = YAMLReader().read(SourceFile(yaml: "a: &x [1, &y 2]\nb: *x\nc: *y\n")).document
        #expect(document?.json == ["a": [1, 2], "b": [1, 2], "c": 2])
        #expect(document?["a"] == document?["b"])
        #expect(document?["c"]?.span.range == 13..<14)
    }

    @Test func `the last anchor with a name is used, even one inside another`() {
        let text = "a: &x 1\nb: *x\nc: &x 2\nd: *x\ne: &x [&x 3, *x]\nf: *x\n"
        let document = YAMLReader().read(SourceFile(yaml: text)).document
        #expect(document?.json == ["a": 1, "b": 1, "c": 2, "d": 2, "e": [3, 3], "f": 3])
    }

    @Test func `an anchor is not visible in the next document`() {
        let (documents, diagnostics) = YAMLReader().readStream(SourceFile(yaml: "&x a\n---\n*x\n"))
        #expect(documents.count == 2)
        #expect(diagnostics.map(\.id) == ["unknown-alias"])
    }

    @Test(
        arguments: [
            ("{<<: {a: 1, b: 2}, b: 3}", ["a": 1, "b": 3]),
            ("{b: 3, <<: {a: 1, b: 2}}", ["b": 3, "a": 1]),
            ("{<<: [{a: 1}, {a: 2, b: 3}]}", ["a": 1, "b": 3]),
            ("{<<: {<<: {a: 1}, b: 2}}", ["a": 1, "b": 2]),
            ("{<<: []}", [:]),
            ("{'<<': 1}", ["<<": 1]),
            ("{!!str <<: 1}", ["<<": 1]),
        ] as [(String, JSON)]
    )
    func `a merge key adds only keys that are missing`(text: String, expected: JSON) {
        let (document, diagnostics) = YAMLReader().read(SourceFile(yaml: text))
        #expect(diagnostics == [])
        #expect(document?.json == expected)
    }

    @Test func `merged entries keep the locations where they were written`() {
        let file = SourceFile(yaml: "base: &b {x: 1}\na: {<<: *b, y: 2}\n")
        let document = YAMLReader().read(file).document
        #expect(document?.node(at: JSONPointer([.name("a"), .name("x")]))?.span.range == 13..<14)
        #expect(document?.keySpan(at: JSONPointer([.name("a"), .name("x")]))?.range == 10..<11)
        #expect(document?["a"]?.mapping?.names == ["x", "y"])
    }
}

@Suite(.timeLimit(.minutes(5))) struct YAMLLimitTests {
    @Test(arguments: [("[", 10_000_000), ("{a: ", 100_000), ("- ", 100_000), ("? ", 100_000), ("[{", 100_000)])
    func `extremely deep nesting is rejected at the limit`(opening: String, count: Int) {
        let bytes = Array(String(repeating: opening, count: count).utf8)
        let diagnostics = YAMLReader().read(SourceFile(name: "deep", bytes: bytes)).diagnostics
        #expect(diagnostics.map(\.id) == ["too-deep"])
        #expect((diagnostics.first?.primary?.span.range.lowerBound ?? 0) < 256 * 4 + 1)
    }

    @Test func `nesting up to the limit is read`() {
        let text = String(repeating: "[", count: 256) + String(repeating: "]", count: 256)
        #expect(YAMLReader().read(SourceFile(yaml: text)).diagnostics == [])
        #expect(YAMLReader().read(SourceFile(yaml: "[\(text)]")).diagnostics.map(\.id) == ["too-deep"])
    }

    @Test func `nesting through aliases counts towards the limit`() {
        let nested = String(repeating: "[", count: 200) + "1" + String(repeating: "]", count: 200)
        let deeper = String(repeating: "[", count: 100) + "*a" + String(repeating: "]", count: 100)
        let diagnostics = YAMLReader().read(SourceFile(yaml: "a: &a \(nested)\nb: \(deeper)\n")).diagnostics
        #expect(diagnostics.map(\.id) == ["too-deep"])
        #expect(diagnostics.first?.primary?.span.start.line == 2)
    }

    @Test func `exponential growth through aliases is rejected`() {
        var text = "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
        for level in 1...20 {
            text += "a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", "))]\n"
        }
        let diagnostics = YAMLReader().read(SourceFile(yaml: text)).diagnostics
        #expect(diagnostics.map(\.id) == ["alias-growth"])
    }

    @Test func `many aliases of a long string are rejected`() {
        let long = String(repeating: "x", count: 1_000_000)
        let text = "a: &a \(long)\nb: [\(Array(repeating: "*a", count: 3000).joined(separator: ","))]\n"
        #expect(YAMLReader().read(SourceFile(yaml: text)).diagnostics.map(\.id) == ["alias-growth"])
    }

    @Test func `thousands of directives, which take libyaml quadratic time, are rejected`() {
        let directives = (0..<200_000).map { "%TAG !t\($0)! x\n" }.joined()
        let diagnostics = YAMLReader().read(SourceFile(yaml: directives + "---\na\n")).diagnostics
        #expect(diagnostics.map(\.id) == ["too-large"])
        #expect(diagnostics.first?.primary?.span.start.line == 101)
    }

    @Test func `a message repeats only the start of a long name`() {
        let name = String(repeating: "x", count: 500_000)
        for text in ["{\(name): 1, \(name): 2}", "*\(name)", "!\(name) x", "- a\n\(name)\n"] {
            let diagnostics = YAMLReader().read(SourceFile(yaml: text)).diagnostics
            #expect(diagnostics.count == 1)
            #expect(diagnostics.map { HumanRenderer().render($0).utf8.count }.reduce(0, +) < 2000)
        }
    }

    @Test func `the given limits are applied`() {
        var limits = YAMLReader.Limits()
        limits.maximumBytes = 30
        limits.maximumNodes = 5
        limits.maximumDiagnostics = 2
        let reader = YAMLReader(limits: limits)
        #expect(reader.read(SourceFile(yaml: "[1, 2, 3, 4]")).diagnostics == [])
        #expect(reader.read(SourceFile(yaml: "[1, 2, 3, 4, 5]")).diagnostics.map(\.id) == ["too-large"])
        #expect(reader.read(SourceFile(yaml: "[*a, *b, *c]")).diagnostics.count == 2)
        let large = SourceFile(yaml: String(repeating: " ", count: 31))
        #expect(reader.read(large).diagnostics.map(\.id) == ["too-large"])
    }
}
