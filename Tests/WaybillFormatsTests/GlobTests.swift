import Testing
import WaybillFormats

@Suite(.timeLimit(.minutes(5))) struct GlobTests {
    @Test(arguments: [
        ("", "", true), ("*", "", true), ("*", "anything", true), ("text/*", "text/html; charset=utf-8", true),
        ("text/*", "application/json", false), ("a?c", "abc", true), ("a?c", "ac", false), ("a*b*c", "aXbYbZc", true),
        ("a*b*c", "aXbYbZ", false), ("*.json", "x.json.gz", false), ("é", "e\u{301}", false),
    ])
    func `a glob matches a whole string`(pattern: String, text: String, expected: Bool) {
        #expect(Glob(pattern).matches(text) == expected)
    }
}
