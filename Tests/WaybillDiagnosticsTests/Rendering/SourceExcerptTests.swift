import Testing
import WaybillDiagnostics

/// The layout of a diagnostic's labels under the lines of a file.
@Suite(.timeLimit(.minutes(5))) struct SourceExcerptTests {
    /// The excerpt, without headline and location, of a diagnostic with labels at the given strings. The first label is
    /// the primary one.
    private func excerpt(_ text: String, _ labels: (text: String, label: String)...) -> String {
        let file = SourceFile(name: "f", text: text)
        let spans = labels.map { Diagnostic.Label(file.span($0.text), $0.label) }
        let diagnostic = Diagnostic("x", "h", at: spans[0].span, label: spans[0].text, secondary: Array(spans[1...]))
        return rows(of: diagnostic)
    }

    private func rows(of diagnostic: Diagnostic) -> String {
        let lines = HumanRenderer().render(diagnostic).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropFirst(3).joined(separator: "\n")
    }

    @Test func `the labels of one file share one excerpt, in source order`() {
        let text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"
        #expect(
            excerpt(text, ("ten", "last"), ("one", "first"), ("three", ""), ("four", "next")) == """
                 1 | one
                   | --- first
                 2 | two
                 3 | three
                   | -----
                 4 | four
                   | ---- next
                ...
                10 | ten
                   | ^^^ last

                """
        )
    }

    @Test func `several labels on a line are listed below it from right to left`() {
        #expect(
            excerpt("{get: /a, post: /b, put: /c}", ("post", "primary"), ("get", "left"), ("put", "right")) == """
                1 | {get: /a, post: /b, put: /c}
                  |  ---      ^^^^      --- right
                  |  |        |
                  |  |        primary
                  |  left

                """
        )
    }

    @Test func `labels without text only underline`() {
        #expect(
            excerpt("{get: /a, post: /b}", ("get", "said"), ("post", "")) == """
                1 | {get: /a, post: /b}
                  |  ^^^      ----
                  |  |
                  |  said

                """
        )
        #expect(excerpt("{get: /a, post: /b}", ("get", ""), ("post", "")).hasSuffix("  |  ^^^      ----\n"))
    }

    @Test func `labels can be nested or have the same location`() {
        #expect(
            excerpt("a: {b: c}", ("b: c", "inner"), ("{b: c}", "outer")) == """
                1 | a: {b: c}
                  |    -^^^^-
                  |    ||
                  |    |inner
                  |    outer

                """
        )
        #expect(
            excerpt("a: {b: c}", ("b", "first"), ("b", "second"), ("c", "third")) == """
                1 | a: {b: c}
                  |     ^  - third
                  |     |
                  |     first
                  |     second

                """
        )
    }

    @Test func `labels in another file have their own block`() {
        let (one, two) = (SourceFile(name: "one", text: "a\nb\n"), SourceFile(name: "two", text: "c\nd\n"))
        let diagnostic = Diagnostic(
            "x",
            "h",
            at: one.span("b"),
            secondary: [.init(two.span("d"), "there"), .init(one.span("a"), "here"), .init(two.span("c"), "too")],
            help: ["Do it."]
        )
        #expect(
            HumanRenderer().render(diagnostic) == """
                error[x]: h
                 --> one:2:1
                  |
                1 | a
                  | - here
                2 | b
                  | ^
                  |
                 ::: two:2:1
                  |
                1 | c
                  | - too
                2 | d
                  | - there
                  |
                  = help: Do it.

                """
        )
    }

    @Test func `if there is no primary label, all labels are shown as primary`() {
        let file = SourceFile(name: "f", text: "a\nb\n")
        var diagnostic = Diagnostic(
            "x",
            "h",
            at: nil,
            secondary: [.init(file.span("a"), "1"), .init(file.span("b"), "2")]
        )
        diagnostic.primary = nil
        #expect(rows(of: diagnostic) == "1 | a\n  | ^ 1\n2 | b\n  | ^ 2\n")
    }

    @Test func `a span of several lines underlines its first line to the end`() {
        #expect(excerpt("a:\n  b: 1  \n  c: 2\nd: 3\n", ("b: 1  \n  c", "")) == "2 |   b: 1  \n  |   ^^^^\n")
        #expect(excerpt("a:\r\n  b: 1\r\n", ("a:\r\n  b", "")) == "1 | a:\n  | ^^\n")
        #expect(excerpt("a: \n  b: 1\n", ("\n  b", "")) == "1 | a: \n  |    ^\n")
    }

    @Test(
        arguments: [
            ("\tx: bad", "    x: bad", "       ^^^"),
            ("a\tx: bad", "a    x: bad", "        ^^^"),
            ("日本: bad", "日本: bad", "      ^^^"),
            ("ｆｕｌｌ: bad", "ｆｕｌｌ: bad", "          ^^^"),
            ("한글: bad", "한글: bad", "      ^^^"),
            // A letter with its accent as two code points, and a Hangul syllable in decomposed form.
            ("e\u{301}\u{1112}\u{1161}\u{11AB}: bad", "e\u{301}\u{1112}\u{1161}\u{11AB}: bad", "     ^^^"),
            ("😀👩‍👩‍👧🇩🇪: bad", "😀👩‍👩‍👧🇩🇪: bad", "        ^^^"),
            ("☺️ \u{200B}bad", "☺️ \u{200B}bad", "   ^^^"),
            ("a\u{0}b: bad", "a\u{FFFD}b: bad", "     ^^^"),
        ]
    )
    func `carets are placed under the characters they refer to`(line: String, shown: String, carets: String) {
        #expect(excerpt(line, ("bad", "")) == "1 | \(shown)\n  | \(carets)\n")
    }

    @Test func `a wide character gets as many carets as it has columns`() {
        #expect(excerpt("a: 日本語", ("日本語", "here")).hasSuffix("  |    ^^^^^^ here\n"))
        #expect(excerpt("a: e\u{301}", ("\u{301}", "half a letter")).hasSuffix("  |    ^ half a letter\n"))
    }

    @Test func `invalid bytes are shown as replacement characters`() {
        let file = SourceFile(name: "f", bytes: [0x61, 0xC3, 0x28, 0xFF, 0xFE, 0x62])
        let diagnostic = Diagnostic("x", "h", at: file.span(3..<5))
        #expect(rows(of: diagnostic) == "1 | a\u{FFFD}(\u{FFFD}\u{FFFD}b\n  |    ^^\n")
    }

    @Test func `a line that is too wide is truncated around the carets`() {
        let text = String(repeating: "a", count: 300) + "bad" + String(repeating: "c", count: 300)
        let lines = excerpt(text, ("bad", "here")).split(separator: "\n")
        #expect(lines[0] == "1 | …\(String(repeating: "a", count: 87))bad\(String(repeating: "c", count: 30))…")
        #expect(lines[1] == "  |  \(String(repeating: " ", count: 87))^^^ here")
    }

    @Test func `labels that are too far apart on a line are shown separately`() {
        let text = "one" + String(repeating: " ", count: 300) + "two"
        let lines = excerpt(text, ("two", "second"), ("one", "first")).split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("1 | one ") && lines[1] == "  | --- first")
        #expect(lines[2].hasSuffix(" two") && lines[3].hasSuffix("^^^ second"))
    }

    @Test func `rendering a line of several megabytes costs no more than the part shown`() {
        let long = SourceFile(name: "long", bytes: Array(repeating: UInt8(ascii: "["), count: 3_000_000))
        let text = HumanRenderer().render(Diagnostic("x", "deep", at: long.span(1_500_000..<2_500_001)))
        #expect(text.utf8.count < 1_000)
        #expect(text.contains(":1:1500001\n"))
        #expect(text.contains("^^^^^^"))
        // Continuation bytes without a lead byte, and one letter with a million accents.
        let continuations = SourceFile(name: "long", bytes: Array(repeating: 0x80, count: 3_000_000))
        let accents = SourceFile(name: "long", text: "a" + String(repeating: "\u{301}", count: 1_000_000))
        for file in [continuations, accents] {
            let text = HumanRenderer().render(Diagnostic("x", "odd", at: file.span(1_500_000..<1_500_001)))
            #expect(text.utf8.count < 5_000)
        }
    }

    @Test func `locations past the end of a file are shown at its end`() {
        let file = SourceFile(name: "f", text: "ab\n")
        #expect(rows(of: Diagnostic("x", "h", at: file.span(3..<3), label: "more?")) == "2 |\n  | ^ more?\n")
        #expect(rows(of: Diagnostic("x", "h", at: file.span(2..<2))) == "1 | ab\n  |   ^\n")
        #expect(rows(of: Diagnostic("x", "h", at: SourceFile(name: "e", text: "").span(0..<0))) == "1 |\n  | ^\n")
    }
}
