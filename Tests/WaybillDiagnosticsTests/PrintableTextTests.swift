import Testing
import WaybillDiagnostics

/// Strings that are prepared for a terminal.
struct PrintableTextTests {
    @Test(arguments: [
        ("short", 10, "short"), ("0123456789", 10, "0123456789"), ("0123456789", 9, "0123…6789"),
        ("0123456789", 4, "0…89"), ("0123456789", 1, "…"), ("0123456789", 0, ""), ("日本語日本語", 6, "日…語"),
        ("日本語日本語", 7, "日…本語"), ("e\u{301}e\u{301}e\u{301}", 2, "…e\u{301}"),
        ("0123456789\n\u{301}x", 8, "012…89\n\u{301}x"),
    ])
    func `the middle of a long string is omitted`(text: String, columns: Int, expected: String) {
        let short = PrintableText.shortened(text, to: columns)
        #expect(short == expected)
        #expect(PrintableText.columns(of: short) <= columns)
    }

    @Test(arguments: [
        ("out/a-1.x", "out/a-1.x"), ("", #""""#), ("a b", #""a b""#), ("größe/日", "größe/日"),
        ("-x", "./-x"), ("a'!b", #"'a'\''!b'"#), (#"$(x)`y`"\'"#, #""\$(x)\`y\`\"\\'""#), ("a\nb;c", #""a b;c""#),
        ("$\u{301}(x)\"\u{301}", "\"\\$\u{301}(x)\\\"\u{301}\""), ("!'\u{301}", "'!'\\''\u{301}'"),
    ])
    func `a word of a command can be pasted in a shell`(text: String, word: String) {
        #expect(PrintableText.shellWord(text) == word)
    }

    @Test(arguments: [("short", 5, "short"), ("longer", 5, "long…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…")])
    func `the end of a long string is omitted`(text: String, columns: Int, expected: String) {
        #expect(PrintableText.start(of: text, columns) == expected)
    }
}
