import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

@Suite(.timeLimit(.minutes(5))) struct YAMLSyntaxErrorTests {
    /// A marked source, a part of the headline, and the position of the secondary label, if there is one.
    @Test(
        arguments: [
            // tabs
            ("a:\n«\t»b: 1\n", "a tab cannot be used for indentation", nil),
            ("a:\n  b: 1\n«\t\t»c: 2\n", "a tab cannot be used for indentation", nil),
            ("a: |\n«\t»x\n", "a tab cannot be used for indentation", nil),
            // quotes
            ("a: «\"»x\nb: 1\n", "the quote \" is not closed", 10),
            ("a: «'»x\nb: 1\n\n", "the quote ' is not closed", 10),
            ("«\"»a\n---\nb\"\n", "the quote \" is not closed", 3),
            ("a: «\"»x\nb: \"y\"\n", "ends in line 2, before other text", 9),
            ("a: 'it'«s'»\n", "unexpected text after the end of a value", 6),
            ("a: \"«\\d»\"\n", "unknown escape '\\d' in double quotes", nil),
            ("a: \"«\\xZ»Z\"\n", "more hexadecimal digits", nil),
            ("a: \"«\\ud»800\"\n", "not a Unicode character", nil),
            // brackets
            ("a: [1, 2«»\n", "'[' is not closed", 3),
            ("a: {b: 1«»\n", "'{' is not closed", 3),
            ("a: [1, 2«»\nb: 3\n", "'[' is not closed", 3),
            ("a: {b: 1«»\n\nc: 3\n", "'{' is not closed", 3),
            ("- {b: {c: 1}«»\n- {b: 2}\n", "',' or '}' is missing", 2),
            ("a: [1, 2«}»\n", "'}' cannot close '['", 3),
            ("a: {b: 1«]»\n", "']' cannot close '{'", 3),
            ("a: {b: x«:» y}\n", "',' or '}' is missing", 3),
            ("a: {\"b\" «1»}\n", "',' or '}' is missing", 3),
            ("a: {x: «${»y}}\n", "'${' must be quoted between brackets", 3),
            ("a: «]»\n", "']' has no matching opening bracket", nil),
            ("a: [b, «,» c]\n", "a value is missing before ','", nil),
            // separators
            ("a: b«:» c\n", "a second ':' in the same line", 1),
            ("a:\n  b: c: d\n".replacing("c: d", with: "c«:» d"), "a second ':' in the same line", 6),
            ("a: 1\n  «b»: 2\n", "this key is indented as if it continued the previous line", 0),
            ("a«:»1\nb: 2\n", "a space is missing after ':'", nil),
            ("«a b»\nc: 2\n", "':' is missing after the key 'a b'", nil),
            ("a: 1\n«b»\nc: 2\n", "':' is missing after the key 'b'", nil),
            ("a: 1\nb«:»2\nc: 2\n", "a space is missing after ':'", nil),
            ("a: «-» b\n", "a list cannot start on the line of its key", nil),
            // indentation
            ("a:\n    b: 1\n  «c:» 2\n", "the indentation does not match any line above", 0),
            ("a: 1\n«-» b\n", "expected a key of this mapping", 0),
            ("- a\n«b:» 1\n", "expected an entry of this list", 0),
            ("  - a\n «-» b\n", "unexpected content after the end of the document", nil),
            ("a: \"b\" «c»\n", "unexpected text after the end of a value", 5),
            ("a: [b] «c d»\n", "unexpected text after the end of a value", 5),
            ("a: b #c: d\n «e»\n", "the indentation does not match any line above", 0),
            ("[a]\n«b:» 1\n", "unexpected content after the end of the document", nil),
            ("%YAML 1.2\n«a:» 1\n", "'---' is missing", nil),
            // indicators
            ("a: «@»x\n", "a value cannot start with '@'", nil),
            ("a: «`»x\n", "a value cannot start with '`'", nil),
            ("a: «%»x\n", "a value cannot start with '%'", nil),
            ("a: «*.x» y\n", "'*.x' is not a valid one", nil),
            ("a: «&.x»\n", "'&.x' is not a valid one", nil),
            ("a: «!x!y» z\n", "'!x!y' is not a valid one", nil),
            ("a: «!<x»\n", "'!<x' is not a valid one", nil),
            ("a: |«x»\n", "can follow '|' or '>'", nil),
            ("«%YAML 3.0»\n---\na\n", "only YAML 1.1 and 1.2", nil),
            ("«%FOO bar»\n---\na\n", "is not a YAML directive", nil),
        ].map { (YAMLMarkedText($0.0), $0.1, $0.2) } as [(YAMLMarkedText, String, Int?)]
    )
    func `a syntax error is explained at its location`(text: YAMLMarkedText, headline: String, other: Int?) {
        let diagnostics = YAMLReader().read(text.file).diagnostics
        #expect(diagnostics.map(\.id) == ["yaml-syntax"])
        #expect(diagnostics.first?.headline.contains(headline) == true, "\(diagnostics.first?.headline ?? "")")
        #expect(text.marking(diagnostics.first?.primary?.span) == text.description)
        #expect(diagnostics.first?.secondary.first?.span.range.lowerBound == other)
    }

    @Test func `documents before the error are kept`() {
        let (documents, diagnostics) = YAMLReader().readStream(SourceFile(yaml: "a\n---\nb\n---\n[\n"))
        #expect(documents.map(\.json) == ["a", "b"])
        #expect(diagnostics.map(\.id) == ["yaml-syntax"])
    }

    @Test func `an unclosed quote is shown at its start and at the error`() {
        let diagnostics = YAMLReader().read(SourceFile(yaml: "name: \"accounts\nitems: []\n")).diagnostics
        let rendered = diagnostics.map { HumanRenderer().render($0) }.joined()
        #expect(rendered.hasPrefix("error[yaml-syntax]: the quote \" is not closed\n --> test.yaml:1:7\n"))
        #expect(rendered.contains("the file ends here"))
    }
}
