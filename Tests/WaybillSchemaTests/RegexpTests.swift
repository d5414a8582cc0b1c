import Testing

@testable import WaybillSchema

@Suite(.timeLimit(.minutes(5))) struct RegexpTests {
    @Test(
        arguments: [
            ("a|b", "b", true), ("", "", true), ("", "a", false), ("ab", "ab", true), ("a.c", "a\nc", false),
            ("a.c", "a\u{2028}c", true), (".", "\u{1F600}", true), ("a*", "aaaa", true), ("a+", "", false),
            ("a?b", "b", true), ("(ab){2}", "abab", true), ("(ab){2}", "ab", false), ("a{2,}", "aaaa", true),
            ("a{1,2}", "aaa", false), ("a{0}", "", true), ("[a-c]+", "abc", true), ("[^a-c]", "d", true),
            ("[^a-c]", "b", false), ("[-a]", "-", true), ("[a-]", "-", true), ("[\\]\\\\]", "]", true),
            ("[.^$]", "$", true), ("\\p{Lu}", "Ä", true), ("\\P{Lu}", "ä", true), ("\\p{L}+", "aÄæ", true),
            ("[\\p{Nd}x]", "5", true), ("[^\\p{Nd}]", "5", false), ("\\.", "x", false), ("\\n", "\n", true),
            ("(a|ab)(c|bcd)", "abcd", true), ("(a*)*", "aaa", true), ("^a$", "a", true), ("é", "e\u{301}", false),
            ("(|a)+", "aaa", true), ("((a{0}){1000}){3}", "", true),
            ("[x-zb-da-cbM]+", "abcdxyzM", true), ("[x-zb-da-cbM]", "e", false), ("[x-zb-da-cbM]", "w", false),
            ("[^x-zb-da-cbM]", "c", false), ("[a-dd-fb]", "e", true), ("()()a{0}(){3}b(a{0})*", "b", true),
        ]
    )
    func `a pattern matches the whole string`(pattern: String, text: String, expected: Bool) throws {
        var steps = 100_000
        #expect(try RegularExpression(pattern, .iRegexp).matches(text, steps: &steps) == expected)
    }

    @Test(
        arguments: [
            ("b+", "abbc", "bb"), ("b(b*)", "abbc", "b"), ("(x)|b", "abc", "b"), ("(a|ab)", "abc", "a"),
            ("^b", "ab", nil), ("b$", "ab", "b"), ("c(.)", "äcö", "ö"), ("a", "", nil), ("", "x", ""),
            ("([0-9]+)-([0-9]+)", "tel 12-34", "12"), ("(a*)+b", "aab", "aa"),
        ] as [(String, String, String?)]
    )
    func `the first group of the leftmost match is returned`(pattern: String, text: String, expected: String?) throws {
        var steps = 100_000
        #expect(try RegularExpression(pattern, .iRegexp).firstCapture(in: text, steps: &steps) == expected)
    }

    @Test(
        arguments: [
            ("(", 0), ("a)", 1), ("[", 0), ("[]", 0), ("*", 0), ("a**", 2), ("a+??", 3), ("a{2", 1), ("a{3,2}", 1),
            ("a{99999999999999999999}", 2), ("\\d", 0), ("a\\", 1), ("[z-a]", 1), ("\\p{Xx}", 0), ("\\pL", 0),
            ("(?:a)", 1), ("a]", 1), ("a}", 1), ("[a[b]", 2), ("\\p{Cs}", 0), ("((a{1000}){1000}){1000}", 0),
            ("\\$", 0), ("[a-b-c]", 4),
        ]
    )
    func `a string that is not an I-Regexp is rejected`(pattern: String, offset: Int) {
        let error = #expect(throws: RegularExpressionError.self) { try RegularExpression(pattern, .iRegexp) }
        #expect(error?.offset == offset)
    }

    @Test func `deeply nested groups are rejected`() {
        let pattern = String(repeating: "(", count: 100_000)
        #expect(throws: RegularExpressionError.self) { try RegularExpression(pattern, .iRegexp) }
    }

    @Test func `a class of thousands of characters is searched quickly`() throws {
        let members = (0..<10_000).compactMap { Unicode.Scalar(0x4E00 + 2 * UInt32($0)) }
        let pattern = "[\(String(String.UnicodeScalarView(members.reversed())))]{1,1000}x"
        let text = String(repeating: "\u{4E02}", count: 600)
        var steps = 10_000_000
        #expect(try !RegularExpression(pattern, .iRegexp).occurs(in: text, steps: &steps))
        #expect(try RegularExpression(pattern, .iRegexp).occurs(in: text + "x", steps: &steps))
    }

    @Test(arguments: [("a*?", "aa", ""), ("<(.*?)>", "<a><b>", "a"), ("[0-9]{2,}?", "123", "12"), ("a??b", "ab", "ab")])
    func `a lazy quantifier repeats as seldom as possible`(pattern: String, text: String, expected: String) throws {
        var steps = 10_000
        let program = try RegularExpression(pattern, .iRegexp)
        #expect(program.hasLazyQuantifiers)
        #expect(program.firstCapture(in: text, steps: &steps) == expected)
    }

    @Test func `thousands of empty groups are repeated thousands of times quickly`() throws {
        var steps = 1_000_000
        let pattern = "(\(String(repeating: "()a{0}", count: 10_000))a){1000}"
        #expect(try RegularExpression(pattern, .iRegexp).matches(String(repeating: "a", count: 1000), steps: &steps))
    }

    @Test func `matching takes linear time`() throws {
        let text = String(repeating: "a", count: 2_000)
        var steps = 2_000 * 200
        #expect(try !RegularExpression("((a*)*)*b", .iRegexp).matches(text, steps: &steps))
        #expect(steps > 0)
    }

    @Test func `a long string and a large pattern only use memory for work done`() throws {
        // 2,000 choices at 150,000 positions do not fit into one block of marks.
        let text = String(repeating: "-", count: 150_000) + "aay"
        var steps = 1_000_000
        #expect(try RegularExpression("[a-f]{1,2000}y", .iRegexp).firstCapture(in: text, steps: &steps) == "aay")
        #expect(try !RegularExpression("([a-f]x?){1,2000}z", .iRegexp).occurs(in: text, steps: &steps))
        #expect(steps > 0)
    }

    @Test func `matching beyond the step limit stops`() throws {
        var steps = 100
        #expect(try !RegularExpression("a*", .iRegexp).matches(String(repeating: "a", count: 1_000), steps: &steps))
        #expect(steps < 0)
    }
}
