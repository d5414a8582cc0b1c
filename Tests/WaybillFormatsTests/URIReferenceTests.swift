import Testing
import WaybillFormats

/// The examples of RFC 3986, section 5.4.
@Suite(.timeLimit(.minutes(5))) struct URIReferenceTests {
    @Test(
        arguments: [
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
            ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
            ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("http:g", "http:g"),
        ]
    )
    func `a reference is resolved`(reference: String, target: String) {
        let base = URIReference("http://a/b/c/d;p?q")
        #expect(URIReference(reference).resolved(against: base).description == target)
    }
}

@Suite(.timeLimit(.minutes(5))) struct AuthorityTests {
    @Test(
        arguments: [
            ("a", nil, "a", nil), ("a:80", nil, "a", "80"), ("a:", nil, "a", ""), ("", nil, "", nil),
            ("u:p@a:80", "u:p", "a", "80"), ("u@v@a", "u@v", "a", nil), ("@a", "", "a", nil),
            ("[::1]", nil, "[::1]", nil), ("[::1]:80", nil, "[::1]", "80"), ("[::1", nil, "[::1", nil),
            ("[::1]x:80", nil, "[::1]x", "80"), ("a:b:80", nil, "a:b", "80"),
        ] as [(String, String?, String, String?)]
    )
    func `an authority is split into its parts`(text: String, userInformation: String?, host: String, port: String?) {
        let authority = URIReference.Authority(text)
        #expect(authority.userInformation == userInformation)
        #expect(authority.host == host)
        #expect(authority.port == port)
        #expect(authority.description == text)
    }
}

@Suite(.timeLimit(.minutes(5))) struct PercentEncodingTests {
    @Test func `each part of a URL has its own set of unescaped characters`() {
        let text = "a/é ~*?#[%41"
        #expect(PercentEncoding.component(text) == "a%2F%C3%A9%20~%2A%3F%23%5B%2541")
        #expect(PercentEncoding.path(text) == "a/%C3%A9%20~%2A%3F%23%5B%2541")
        #expect(PercentEncoding.form(text) == "a%2F%C3%A9+%7E*%3F%23%5B%2541")
        #expect(PercentEncoding.literal(text + "%") == "a/%C3%A9%20~*?#[%41%25")
        #expect(PercentEncoding.reference(text + "%") == "a/%C3%A9%20~*?#[%41%")
        #expect(PercentEncoding.pathAndQuery("a?b#c") == "a?b%23c")
    }

    @Test func `percent-encoded strings are decoded`() {
        #expect(PercentEncoding.decoded("a%2f%C3%A9") == "a/é")
        #expect(PercentEncoding.decoded("%4") == nil)
        #expect(PercentEncoding.decoded("%g1") == nil)
        #expect(PercentEncoding.decoded("%FF") == nil)
        #expect(PercentEncoding.decodedBytes("%FF%4%".utf8) == [0xFF] + Array("%4%".utf8))
    }
}
