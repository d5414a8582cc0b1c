import Testing
import WaybillDiagnostics
import WaybillManifest

@Suite(.timeLimit(.minutes(5))) struct ManifestTrapTests {
    private func diagnostics(_ file: SourceFile) throws -> [Diagnostic] {
        ManifestLoader().load(file).diagnostics.filter {
            ["missing-colon", "anchor-of-nothing", "cut-by-comment"].contains($0.id.name)
        }
    }

    @Test(
        arguments: [
            ("a: {b: c,«d»}\n", "missing-colon"),
            ("a: {b: [c, d], «e» , f: g}\n", "missing-colon"),
            ("a: {«'b'»}\n", "missing-colon"),
            ("a: [{«b» # c\n}]\n", "missing-colon"),
            ("? «a»\nb: c\n", "missing-colon"),
            ("a: «&b»\n", "anchor-of-nothing"),
            ("a: [«&b», c]\n", "anchor-of-nothing"),
            ("waybill: 1\ndefaults:\n  tag: a\n  query:\n    a: see (no. «#1)»\n", "cut-by-comment"),
            ("waybill: 1\ndefaults:\n  query:\n    a: ${a «# b}»\n", "cut-by-comment"),
            ("waybill: 1\ndefaults:\n  filters:\n    - select: concat($.a, ' «#b')»\n", "cut-by-comment"),
            ("waybill: 1\ndefaults:\n  filters:\n    - select: $.a == 'b «#c'»\n", "cut-by-comment"),
        ].map { (YAMLMarkedText($0.0), $0.1) } as [(YAMLMarkedText, String)]
    )
    func `a YAML trap is reported at its location`(text: YAMLMarkedText, id: String) throws {
        let found = try diagnostics(text.file)
        #expect(found.map(\.id.name) == [id])
        #expect(text.marking(found.first?.primary?.span) == text.description)
    }

    @Test(
        arguments: [
            "a: {b: , c: d}\n", "a: {b: }\n", "a: {b:\n}\n", "a: {b: # c\n}\n", "a: {b-: c}\n", "a:\n  - b\n  -\n",
            "a:\n- b\n-\n",
            "a:\nb: c\n", "a:\n\n# b\nc:\n", "a: {b: ''}\n", "a: {'b': \"\"}\n", "a: |\nb: >\n", "a: &b c\nd: *b\n",
            "a: &b\n  c: d\n", "a: !!null\n", "a: &b !!str\n", "? a\n: b\n", "[a: b, c]\n", "[a: ]\n",
            "waybill: 1\ndefaults:\n  query:\n    a: it's # a comment\n    b: (c) # d\n    e: (f#g)\n    h: \"i (\" # j\n",
            "waybill: 1\ndefaults:\n  query:\n    a: ${run.id} # b\n    c: |\n      d ( # e\n",
        ]
    )
    func `a value that only resembles a trap is not reported`(text: String) throws {
        #expect(try diagnostics(SourceFile(name: "test.yaml", text: text)).map(\.headline) == [])
    }
}
