import Testing
import WaybillDiagnostics
import WaybillManifest

@Suite(.timeLimit(.minutes(5))) struct YAMLPlaceTests {
    /// The marked source of a scalar at `a`, and the part of its value that the marks enclose.
    @Test(
        arguments: [
            // plain
            ("a: one «two» three\n", "two"),
            ("a: one\n   two\n   «thr»ee\n", "thr"),
            ("a: one«\n   »two\n", " "),
            ("a: o«ne\n   t»wo\n", "ne t"),
            ("a: one\n«\n»   two\n", "\n"),
            ("a: &x ü«€»ü\n", "€"),
            // single quotes
            ("a: 'it«''»s'\n", "'"),
            ("a: 'it''«s»'\n", "s"),
            ("a: '  «one» '\n", "one"),
            ("a: 'one\n\n   «two»'\n", "two"),
            // double quotes
            ("a: \"x\\n\\\"«y»\"\n", "y"),
            ("a: \"x«\\n»y\"\n", "\n"),
            ("a: \"\\u00fc\\U0001D11E«y»\"\n", "y"),
            ("a: \"«\\u00fc»y\"\n", "ü"),
            ("a: \"\\x41\\N\\_\\L\\P\\0«y»\"\n", "y"),
            ("a: \"one \\\n   «two»\"\n", "two"),
            ("a: \"one\n   \\  «two»\"\n", "two"),
            ("a: \"one  \n\n\n   «two»\"\n", "two"),
            ("a: \"x ${«steps».y} \\t z\"\n", "steps"),
            // literal
            ("a: |\n  one\n  «two»\n", "two"),
            ("a: |\n\n\n    one\n     «two»\n", "two"),
            ("a: |2\n    «one»\n  two\n", "one"),
            ("a: |2\n  «  o»ne\n", "  o"),
            ("b:\n  c: 1\na: |+\n  one«\n»\n\n", "\n"),
            ("a: |\r\n  one\r\n  «two»\r\n", "two"),
            ("a: | # comment\n  ü\n  «two»\n", "two"),
            // folded
            ("a: >\n  one\n  two\n  «three»\n", "three"),
            ("a: >\n  one«\n»  two\n", " "),
            ("a: >\n  one\n\n\n  «two»\n", "two"),
            ("a: >\n  one\n    «more»\n  two\n", "more"),
            ("a: >\n  one\n    more\n  «two»\n", "two"),
            ("a: >-\n\n  one\n  «two»", "two"),
        ].map { (YAMLMarkedText($0.0), $0.1) }
    )
    func `a part of a scalar is located in the source`(source: YAMLMarkedText, part: String) throws {
        let (document, diagnostics) = YAMLReader().read(source.file)
        #expect(diagnostics == [])
        let scalar = try #require(document?["a"]?.scalar)
        let text = Array(scalar.text.utf8)
        let wanted = Array(part.utf8)
        let start = try #require(
            text.indices.first { text[$0...].starts(with: wanted) },
            "\(scalar.text) lacks \(part)"
        )
        let span = scalar.span(ofUTF8: start..<start + wanted.count)
        #expect(source.marking(span) == source.description)
    }

    @Test(
        arguments: [
            ("a: «»one\n", 0), ("a: one«»\n", 3), ("a: one«»\n", 99), ("a: \"\\n«»x\"\n", 1), ("a: 'x«»'\n", 1),
            ("a: '«»'\n", 0), ("a: |\n  «»x\n", 0), ("a: x\n   «»y\n", 2),
        ].map { (YAMLMarkedText($0.0), $0.1) }
    )
    func `an empty part has an empty span`(source: YAMLMarkedText, offset: Int) throws {
        let scalar = try #require(YAMLReader().read(source.file).document?["a"]?.scalar)
        #expect(source.marking(scalar.span(ofUTF8: offset..<offset)) == source.description)
    }

    @Test func `a part beyond the end of a scalar is clamped`() throws {
        let file = SourceFile(yaml: "a: 'one'\n")
        let scalar = try #require(YAMLReader().read(file).document?["a"]?.scalar)
        #expect(scalar.span(ofUTF8: 1..<99).range == 5..<7)
    }
}
