import Synchronization
import Testing
import WaybillJSON
import WaybillSchema

/// Regular expressions of ECMA-262, as used by `pattern`.
@Suite(.timeLimit(.minutes(5))) struct JSONSchemaPatternTests {
    private func matches(_ pattern: String, _ text: String) throws -> Bool {
        try JSONSchema(compiling: ["pattern": .string(pattern)]).isValid(.string(text))
    }

    @Test(
        arguments: [
            ("b+", "abbc"), ("^$", ""), ("^a|b$", "cb"), ("^(?:ab){2}$", "abab"), ("^a{2,}$", "aaa"),
            ("^a{0,2}?$", "aa"), ("^[^a-c]$", "d"), ("^[]|x", "x"), ("^[^]$", "\n"), ("^.$", "é"),
            ("^\\u{1F600}$", "😀"), ("^\\uD83D\\uDE00$", "😀"), ("^.$", "😀"), ("\\bcat\\b", "a cat sat"),
            ("^(?=.*\\d)(?=.*[a-z]).{4,}$", "ab1c"), ("(?<=\\$)\\d+", "$42"),
            ("(?<!\\$)\\b\\d+", "€42"), ("^(a)(b)?\\1$", "aa"), ("^(?<x>.)\\k<x>$", "zz"), ("^(?:(a)|b)*\\1$", "ab"),
            ("^[\\w-]+$", "a-b_c"), ("^[\\w-.]+$", "a-b.c"), ("^[!-\\d]{3}$", "!-7"), ("^[+--]$", ","),
            ("^\\p{Lu}\\P{Lu}$", "Éé"), ("^\\-\\/$", "-/"),
            ("(a*)*$", "b"), ("^(a|aa)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), ("^{}$", "{}"),
            ("^(?:^)?(?:\\b)*a$", "a"), ("^(?:a{0}|b)c", "c"),
        ]
    )
    func `a pattern matches`(pattern: String, text: String) throws {
        #expect(try matches(pattern, text))
    }

    @Test(
        arguments: [
            ("^a.c$", "a\nc"), ("a$", "a\n"), ("^[a-z]+$", "aB"), ("^\\d$", "٣"), ("(?!a)a", "a"), ("^e$", "e\u{301}"),
            ("^(?<=a)b", "b"), ("[]", "a"), ("^(.)\\1$", "ab"), ("^(?:a{2}){2}$", "aaa"),
        ]
    )
    func `a pattern does not match`(pattern: String, text: String) throws {
        #expect(try !matches(pattern, text))
    }

    @Test(
        arguments: [
            "(", ")", "[a", "a**", "*", "a{2,1}", "[b-a]", "\\", "\\a", "\\Z", "\\1", "\\k<x>", "(?<x>a)(?<x>b)",
            "(?i)a", "\\p{Nope}", "\\p{Script=Greek}", "\\u{110000}", "[b-a]]", "^*", "(?=a)*",
            "(a{1000}){1000}",
        ]
    )
    func `a malformed pattern is reported at its location`(pattern: String) throws {
        let error = try #require(throws: JSONSchemaError.self) {
            try JSONSchema(compiling: ["properties": ["a": ["pattern": .string(pattern)]]])
        }
        #expect(error.location == JSONPointer([.name("properties"), .name("a"), .name("pattern")]))
        #expect(error.message.hasPrefix("is not a valid regular expression: "))
    }

    @Test(arguments: ["(?=a*b)", "(a*)b\\1"])
    func `a pattern of superlinear complexity has a step limit`(pattern: String) throws {
        let schema = try JSONSchema(compiling: ["pattern": .string(pattern)])
        let violations = schema.validate(.string(String(repeating: "a", count: 40_000)))
        #expect(violations.map(\.message) == ["is too deeply nested or too complex to check"])
    }

    @Test(arguments: ["(?<=b.*a)c", "(?<!b[^x]*)c", "(?=[^x]*b)c", "(?!.*a)c"])
    func `work in look-around counts towards the time of a step`(pattern: String) async throws {
        let schema = try JSONSchema(compiling: ["pattern": .string(pattern)])
        let text = JSON.string(String(repeating: "a", count: 20_000))
        let questions = Mutex(0)
        await WorkLimit.limited {
            questions.withLock { $0 += 1 }
            return false
        } _: {
            #expect(!schema.isValid(text))
        }
        #expect(questions.withLock { $0 } > 20)
    }

    @Test(arguments: ["^(a+)+$", "^(a|a)*$", "^(a*)*b$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$"])
    func `a pattern that is exponential in other engines takes linear time`(pattern: String) throws {
        let text = String(repeating: "a", count: 20_000) + "!"
        #expect(try !matches(pattern, text))
    }

    @Test func `exponential back references count as no match`() throws {
        #expect(try !matches("^(a*)*\\1b$", String(repeating: "a", count: 64)))
    }

    @Test func `nested repetitions of nothing are compiled quickly`() throws {
        #expect(try matches("^((){1000000}){1000000}$", ""))
    }
}
