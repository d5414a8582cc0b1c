import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

@Suite(.timeLimit(.minutes(5))) struct YAMLSpanTests {
    @Test(
        arguments: [
            // scalars
            ("a: «plain text»  # comment\nb: 2\n", "a"),
            ("a: «plain\n  on two  lines» # comment\n\nb: 2\n", "a"),
            ("a: «'single ''quoted'''»  \n", "a"),
            ("a: «\"double \\\"quoted\n  twice\"»\n\n", "a"),
            ("a: «|\n  one\n\n  two»\n\n# comment\nb: 2\n", "a"),
            ("a: «|+ # comment\n  one  »\n\n\nb: 2\n", "a"),
            ("a: «>-\n  one\n   two»\n", "a"),
            ("a: «|-»  # nothing\n\n\nb: 2\n", "a"),
            ("a: «|»", "a"),
            ("a: «|\n  end»", "a"),
            ("ä: ü\nb: «ö€𝄞»\n", "b"),
            ("\u{FEFF}a: «1»\n", "a"),
            ("a: 1\r\nb: «2»\r\nc: 3\r\n", "b"),
            // empty values
            ("a:«» # nothing\nb: 2\n", "a"),
            ("a: {b«» , c: 2}\n", "a/b"),
            ("a: [1, {b:«» }]\n", "a/1/b"),
            ("- 1\n-«»\n- 2\n", "1"),
            ("? a«»\n\n# comment\n? b\n", "a"),
            // collections
            ("a:\n  «- 1\n  - 2»  # comment\n\n# comment\nb: 2\n", "a"),
            ("a:\n«- 1\n- - 2\n  - 3»\n\nb: 2\n", "a"),
            ("a:\n  «b: 1\n  c:\n    d: 2»\n\n  # comment\ne: 3\n", "a"),
            ("a:\n  «b:\n    c:» # comment\n\nd: 1\n", "a"),
            ("a: «[ 1, [2] ]» # comment\n", "a"),
            ("a: «{b: 1,\n c: 2 }» # comment\n", "a"),
            ("a: [ «b: 1» , c]\n", "a/0"),
            ("a: [ «{b: 1}: [2]» , c]\n", "a/0"),
            ("a: [ «? b : 1» , c]\n", "a/0"),
            ("- «- 1\n  - 2»\n- 3\n", "0"),
            ("- «b: 1\n  c: 2»\n- 3\n", "0"),
            ("«a: 1\nb: |\n  x»\n\n...\n", ""),
            // after tags and anchors
            ("a: !!str «1» # comment\n", "a"),
            ("a: &x  !!str   # comment\n  «'1'»\n", "a"),
            ("a: !<tag:yaml.org,2002:str> «1»\n", "a"),
            ("a: &x «|\n  1»\n", "a"),
            ("a: &x !!map # comment\n  «b: 1»\n", "a"),
            ("a: &x\n  &y b: &z «1»\n", "a/b"),
            ("a: &x\n  «&y b: 1»\n", "a"),
            ("a: !!seq\n  «- 1»\nb: 2\n", "a"),
            ("a: &x\n«- 1»\nb: 2\n", "a"),
            ("a: &x !!seq «[1]»\n", "a"),
            ("a: !!map &x «{b: 1}»\n", "a"),
            ("a: !!str«»\nb: 2\n", "a"),
            ("a: &x«»\nb: &y 2\n", "a"),
            ("a: &x «1»\nb: *x\n", "b"),
        ].map { (YAMLMarkedText($0.0), $0.1) }
    )
    func `the span of a value contains the value and nothing around it`(text: YAMLMarkedText, path: String) {
        let (document, diagnostics) = YAMLReader().readStream(text.file)
        #expect(diagnostics.allSatisfy { $0.id == "complex-key" })
        let span = document.first?.node(at: pointer(path))?.span
        #expect(text.marking(span) == text.description)
    }

    @Test(
        arguments: [
            ("«a»: 1\n", "a"),
            ("a:\n  - 1\n  - «'b c'»: 2\n", "a/1/b c"),
            ("? «a»\n: 1\n", "a"),
            ("&x «a» : 1\n", "a"),
            ("base: &b {«x»: 1}\na: {<<: *b}\n", "a/x"),
        ].map { (YAMLMarkedText($0.0), $0.1) }
    )
    func `the span of a key is found by the path of its value`(text: YAMLMarkedText, path: String) {
        let document = YAMLReader().read(text.file).document
        #expect(text.marking(document?.keySpan(at: pointer(path))) == text.description)
    }

    @Test func `a JSON pointer finds values and keys`() {
        let document = YAMLReader().read(SourceFile(yaml: "a/b: [1, {'0': 2}]\n")).document
        let pointer = JSONPointer([.name("a/b"), .index(1), .name("0")])
        #expect(document?.node(at: pointer)?.json == 2)
        #expect(document?.span(at: pointer)?.range == 15..<16)
        #expect(document?.keySpan(at: pointer)?.range == 10..<13)
    }

    @Test func `paths that lead nowhere have no span`() {
        let document = YAMLReader().read(SourceFile(yaml: "a: [1, {b: 2}]\n")).document
        for path in ["x", "a/2", "a/01", "a/-1", "a/b", "a/0/b"] {
            #expect(document?.node(at: pointer(path)) == nil)
        }
        #expect(document?.keySpan(at: pointer("a/1")) == nil)
        #expect(document?.keySpan(at: JSONPointer()) == nil)
    }

    @Test(
        arguments: [
            ("a: «!!str» 1\n", true), ("a: &x «!!str» 1\n", true), ("a: «!<tag:yaml.org,2002:str>» 1\n", true),
            ("a: «!» 1\n", true), ("a: !!str «&x» 1\n", false), ("a: «&x» [1]\n", false), ("a: «&x»\n  b: 1\n", false),
        ].map { (YAMLMarkedText($0.0), $0.1) }
    )
    func `tags and anchors have their own spans`(text: YAMLMarkedText, isTag: Bool) {
        let node = YAMLReader().read(text.file).document?["a"]
        #expect(text.marking(isTag ? node?.tag?.span : node?.anchor?.span) == text.description)
        #expect(isTag ? node?.tag?.value.hasPrefix("!") == true : node?.anchor?.value == "x")
    }
}

/// Returns the pointer to a value from the names and numbers that lead to it.
private func pointer(_ path: String) -> JSONPointer {
    JSONPointer(path.split(separator: "/").map { .name(String($0)) })
}
