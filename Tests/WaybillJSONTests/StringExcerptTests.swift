import Testing
import WaybillJSON

struct StringExcerptTests {
    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "abc…"), ("", 3, ""), ("ab\r\nc", 3, "ab…"), ("abe\u{301}c", 3, "ab…"),
        ("abe\u{301}", 4, "abe\u{301}"), ("🇩🇪🇫🇷x", 3, "🇩🇪…"), ("e\u{301}\u{302}\u{303}", 2, "e\u{301}…"),
        ("👩\u{200D}💻x", 2, "👩\u{200D}…"),
    ])
    func `an excerpt has whole characters and a maximum length`(text: String, maximum: Int, expected: String) {
        let excerpt = text.excerpt(maximum)
        #expect(Array(excerpt.unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test func `code points are compared without their canonical equivalents`() {
        #expect("a\u{301}/b".startsWithCodePoints(of: "a\u{301}/"))
        #expect(!"a\u{301}".startsWithCodePoints(of: "á"))
        #expect("x/\u{301}".endsWithCodePoints(of: "\u{301}"))
        #expect(!"b".endsWithCodePoints(of: "ab"))
    }
}
