import Testing
import WaybillFormats
import WaybillJSON
import WaybillResults

@Suite(.timeLimit(.minutes(5))) struct RedactorTests {
    private func redactor(_ secrets: String...) -> Redactor {
        let redactor = Redactor()
        for secret in secrets { redactor.register(secret) }
        return redactor
    }

    @Test func `large data is not searched after the deadline, and does not count as clean`() async {
        let redactor = Redactor()
        redactor.register("a long secret")
        let (small, large) = (JSON.array(["x"]), JSON.array(Array(repeating: "x", count: 1000)))
        #expect(redactor.unchanged(large) != nil)
        await WorkLimit.limited({ true }) {
            #expect(redactor.unchanged(small) != nil)
            #expect(redactor.unchanged(large) == nil)
            #expect(redactor.redact(large) == large)
        }
    }

    @Test func `a secret is found without the blanks at its ends`() {
        #expect(redactor(" a long secret\t").redact("{'a long secret'}") == "{'***'}")
        #expect(redactor("a long secret ").redact("a long secret") == "***")
    }

    @Test func `a long text is not searched after the deadline, and is hidden`() async throws {
        let redactor = redactor("a long secret")
        let (short, long) = (String(repeating: "a", count: 1000), String(repeating: "a", count: 100_000))
        #expect(redactor.redact(long) == long)
        await WorkLimit.limited({ true }) {
            #expect(redactor.redact(short) == short)
            #expect(redactor.redact(long) == "***")
            #expect(throws: Never.self) { try redactor.bytes(Array(short.utf8)) }
            #expect(throws: SearchStopped.self) { try redactor.bytes(Array(long.utf8)) }
        }
    }

    @Test func `a long body is not searched in a task that was cancelled`() async {
        let redactor = redactor("a long secret")
        let body = [UInt8](repeating: UInt8(ascii: "a"), count: 100_000)
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            #expect(throws: SearchStopped.self) { try redactor.bytes(body) }
            #expect(redactor.text(String(decoding: body, as: UTF8.self)).string.utf8.count == body.count)
        }.value
    }

    @Test(
        arguments: [
            ("hunter2", "the word is hunter2!", "the word is ***!"),
            ("hunter2", "hunter2", "***"),
            ("abCD12/ef~op", "the value at /abCD12~1ef~0op/x", "the value at /***/x"),
            ("-----BEGIN KEY-----\nabcdefgh12345678\nxyz\n", "abcdefgh12345678\r\n  xyz", "***\r\n  xyz"),
            ("hunter2", "hunter2hunter2", "******"),
            ("hunter2", "Hunter2 hunter", "Hunter2 hunter"),
            ("hunter2", "", ""),
            ("pä$$ wörd", "?p=p%C3%A4%24%24%20w%C3%B6rd&q=1", "?p=***&q=1"),
            ("pä$$ wörd", "?p=p%c3%a4$$%20w%c3%b6rd&q=1", "?p=***&q=1"),
            ("pä$$ wörd", "p=p%C3%A4%24%24+w%C3%B6rd&q=1", "p=***&q=1"),
            ("aa/b+c", "/x/aa%2Fb%2Bc/y%2Fz", "/x/***/y%2Fz"),
            ("50%41x", "50%41x and 50%2541x and 50%4", "*** and *** and 50%4"),
            ("aa/b+c", "aa%252Fb%252Bc", "***"),
            (#"say "hi""#, #"{"text": "{\"p\": \"say \\\"hi\\\"\"}"}"#, #"{"text": "{\"p\": \"***\"}"}"#),
            ("<a&b's>", "<p>&lt;a&amp;b&#39;s&gt; &lt;a&#38;b&apos;s&#x3e;</p>", "<p>*** ***</p>"),
            ("pässwörd €5", "p&auml;ssw&ouml;rd &euro;5 &nbsp;p&aumlx;", "*** &nbsp;p&aumlx;"),
            (#"say "hi""#, #"id,"say ""hi""""#, #"id,"***""#),
            ("hunter2", "68756e74657232 68756E74657232 6875", "*** *** 6875"),
            ("Hunter2", "https://hunter2.example.com/hunter2", "https://***.example.com/***"),
            (#"say "hi"\now"#, #"{"p":"say \"hi\"\\now"}"#, #"{"p":"***"}"#),
            ("a/b\n\u{1}é😀", #"[a\/b\n\u0001\u00E9\uD83D\ude00\u0021]"#, #"[***\u0021]"#),
            ("a/b\n\u{1}é😀", #"\uD83D a/b \u12"#, #"\uD83D a/b \u12"#),
        ] as [(String, String, String)]
    )
    func `a secret is redacted, plain or escaped, and nothing else is`(secret: String, text: String, expected: String) {
        #expect(redactor(secret).redact(text) == expected)
    }

    @Test(
        arguments: [
            ("supersecretvalue", "it starts with 'xxsupersecretv…'", "it starts with 'xx***…'"),
            ("supersecretvalue", "super… sup… supers", "***… sup… supers"),
            (#"say "hi" now"#, #"is "say \"hi\" n…", not"#, #"is "***…", not"#),
            (#"say "hi" now"#, #"is "say \…", not"#, #"is "***…", not"#),
            ("pä$$ wörd", "?p=p%C3%A4%24%2…", "?p=***…"), ("pä$$ wörd", "?p=p%C3%A4%24%24%…", "?p=***…"),
            ("<a&b's> and", "&lt;a&amp;b&#3…", "***…"), ("a\u{1}éab-long", #"a\u0001\u00e9ab\u…"#, #"***…"#),
            ("hunter2hunter2", "68756e7465723268…", "***…"), ("hunter2hunter2", "aHVudGVyMmh1bn…", "***…"),
            ("päöü-word", "päö\u{FFFD}…", "***\u{FFFD}…"),
        ] as [(String, String, String)]
    )
    func `the start of a secret is redacted at the end of a truncated excerpt`(
        secret: String,
        text: String,
        expected: String
    ) {
        #expect(redactor(secret).redact(text) == expected)
    }

    @Test(
        arguments: [
            ("test", "my test row", "my test row"), ("test", "test", "***"), ("1", "12 1", "12 1"),
            ("test", #"{"a": "test", "b": "tests"}"#, #"{"a": "***", "b": "tests"}"#),
            ("test", "?a=test&b=tests#test", "?a=***&b=tests#test"), ("a b", "?x=a%20b&y=1", "?x=***&y=1"),
            ("1234", "https://h/1234/12345?p=1234", "https://h/***/12345?p=***"),
            ("1234", "and/1234/or", "and/1234/or"),
            ("test", "dGVzdA==", "***"), ("test", "74657374", "***"),
            ("test", "attestation dGVzdA", "attestation dGVzdA"),
        ] as [(String, String, String)]
    )
    func `a secret of fewer than six bytes is redacted only if it is a whole value`(
        secret: String,
        text: String,
        expected: String
    ) {
        #expect(redactor(secret).redact(text) == expected)
    }

    @Test func `the sources of short secrets are listed once each, without those that have no source`() {
        let redactor = Redactor()
        redactor.register("long enough", from: "a")
        redactor.register("short", from: "b")
        redactor.register("short", from: "c")
        redactor.register("1234", from: "b")
        redactor.register("5678")
        redactor.register("90", from: "d")
        #expect(redactor.sourcesOfShortSecrets == ["b", "d"])
    }

    @Test func `data keeps strings that match a short secret, and reports whether a long one was redacted`() {
        let redactor = redactor("test", "1", "hunter2")
        let row: JSON = ["name": "test", "n": 1, "text": "my test row"]
        #expect(redactor.data(row).json.value == row)
        #expect(redactor.data(row).isChanged == false)
        #expect(redactor.unchanged(row)?.value == row)
        #expect(redactor.data(["p": "hunter2", "n": 1]).json.value == ["p": "***", "n": 1])
        #expect(redactor.data(["p": "hunter2"]).isChanged)
        #expect(redactor.data(.bytes(Array("a hunter2".utf8))).json.value == .bytes(Array("a ***".utf8)))
        #expect(Redactor.masked(["a": [1, "x", true]]) == ["a": ["***", "***", true]])
    }

    @Test func `a secret longer than 64 KiB is rejected`() {
        let redactor = Redactor()
        #expect(redactor.register(String(repeating: "a", count: 64 << 10)))
        #expect(!redactor.register(String(repeating: "a", count: (64 << 10) + 1)))
    }

    @Test(arguments: ["s3cret", "correct horse", "pä$$?>~ÿ", "\u{3FF}\u{3FF}\u{3FF}>>>???"])
    func `a secret is redacted in base64 at every alignment, in both alphabets, padded or not`(secret: String) {
        let redactor = redactor(secret)
        let bytes = Array(secret.utf8)
        // A secret of two bytes has too few characters of its own inside a longer string.
        let surroundings = bytes.count == 2 ? [(0, 0)] : (0..<4).flatMap { before in (0..<4).map { (before, $0) } }
        for (before, behind) in surroundings {
            let whole = Array("abcd".utf8.prefix(before)) + bytes + Array("wxyz".utf8.prefix(behind))
            let secretBits = (before * 8)..<((before + bytes.count) * 8)
            let padded = base64(whole)
            let foreign = padded.enumerated().filter { place, character in
                character != "=" && !secretBits.overlaps((place * 6)..<(place * 6 + 6))
            }
            for text in [padded, padded.replacing("=", with: "")] {
                for text in [text, text.replacing("+", with: "-").replacing("/", with: "_")] {
                    let redacted = redactor.redact("Basic \(text);")
                    #expect(redacted.contains("***"), "\(text) → \(redacted)")
                    // Only characters that contain no bit of the secret are kept.
                    let kept = redacted.dropFirst(6).dropLast().filter { $0 != "*" && $0 != "=" }
                    #expect(kept.count == foreign.count, "\(text) → \(redacted)")
                }
            }
        }
    }

    @Test(arguments: ["s3cret-1", "s3cret-12", "s3cret-123"]) func `the padding of base64 is redacted with the secret`(
        secret: String
    ) {
        let redactor = Redactor()
        redactor.register(secret)
        #expect(redactor.redact("Basic \(Base64.encode(Array(secret.utf8))) end") == "Basic *** end")
    }

    @Test(arguments: [("p\u{E4}sswort", "pa\u{308}sswort"), ("e\u{301}-k\u{E9}y-1", "\u{E9}-k\u{E9}y-1")])
    func `a secret is redacted in another normalisation form of Unicode`(secret: String, other: String) {
        for text in [other, Base64.encode(Array(other.utf8)), PercentEncoding.component(other)] {
            #expect(redactor(secret).redact("<\(text)>") == "<***>")
        }
        #expect(redactor(secret, other).redact("\(secret) \(other)") == "*** ***")
    }

    @Test(arguments: [
        (#"say "hi"\x"#, #"say \"hi\"\\x"#), ("pässwörd-1", #"p\u00e4ssw\u00f6rd-1"#),
        ("abc/def/ghi", #"abc\/def\/ghi"#),
        ("€/abc/def", #"\u20ac\/abc\/def"#),
    ])
    func `a secret with JSON escapes is redacted in Base64`(secret: String, escaped: String) {
        for start in ["", "x", "xy", "xyz"] {
            let text = Base64.encode(Array(#"{"\#(start)": "\#(escaped)", "other": 1}"#.utf8))
            let redacted = redactor(secret).redact(text)
            #expect(redacted.contains("***"), "\(text)")
            #expect(redacted.utf8.count < text.utf8.count - 10, "\(redacted)")
        }
    }

    @Test(arguments: ["s3cret-token", "correct horse", "pä$$?>~ÿ"])
    func `a secret is redacted in Base64 that was encoded twice`(secret: String) {
        for start in ["", "u", "us", "user:"] {
            let inner = Base64.encode(Array((start + secret).utf8))
            for name in ["", "a", "ab"] {
                let text = Base64.encode(Array(#"{"\#(name)": "\#(inner)"}"#.utf8))
                #expect(redactor(secret).redact(text).contains("***"), "\(text)")
            }
            #expect(redactor(secret).redact(Base64.encode(Array(inner.utf8))).contains("***"))
        }
    }

    @Test func `everything that overlapping secrets cover is redacted`() {
        #expect(redactor("aabcdd", "cddeff", "abcddef").redact("xaabcddeffx aabcd") == "x***x aabcd")
        #expect(redactor("token6", "token6-long").redact("token6-long, token6-") == "***, ***-")
    }

    @Test func `secrets that are registered one by one are all redacted, however many they are`() {
        let redactor = Redactor()
        let secrets = (0..<500).map { "secret-number-\($0)." }
        for (index, secret) in secrets.enumerated() {
            redactor.register(secret)
            #expect(redactor.redact("<\(secret)>") == "<***>")
            if index + 1 < secrets.count { #expect(redactor.redact(secrets[index + 1]) == secrets[index + 1]) }
        }
        #expect(redactor.redact(secrets.joined(separator: " ")) == secrets.map { _ in "***" }.joined(separator: " "))
    }

    @Test func `without secrets, or with an empty one, nothing is redacted`() {
        #expect(Redactor().redact("a%20b\\n") == "a%20b\\n")
        #expect(redactor("").redact("abc") == "abc")
    }

    @Test func `secrets in bytes that are not UTF-8 are redacted, and all other bytes are kept`() throws {
        let redactor = redactor("key123")
        let redacted = try redactor.redact([0xFF, 0x25, 0x5C] + Array("key123".utf8) + [0xFE])
        #expect(redacted == [0xFF, 0x25, 0x5C, 42, 42, 42, 0xFE])
        #expect(try redactor.redact([0xFF, 0xFE, 0x00]) == [0xFF, 0xFE, 0x00])
    }

    @Test(arguments: ["hunter2", "pässe1", "naïve €5", "€uro-naïve"], [false, true])
    func `in UTF-16, a secret is redacted and the surrounding text is kept`(secret: String, isBigEndian: Bool) throws {
        func bytes(_ text: String) -> [UInt8] {
            text.utf16.flatMap { unit -> [UInt8] in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                return isBigEndian ? [high, low] : [low, high]
            }
        }
        let redacted = try redactor(secret).redact(bytes("\u{FEFF}{\"p\":\"\(secret)\",\"q\":\"x \(secret)!\"}"))
        if secret.hasPrefix("€") {
            // The mask is the one for UTF-8, which is narrower.
            #expect(!redacted.contains(bytes("uro")) && redacted.starts(with: bytes("\u{FEFF}{\"p\":\"")))
        } else {
            #expect(redacted == bytes("\u{FEFF}{\"p\":\"***\",\"q\":\"x ***!\"}"))
        }
    }

    @Test(arguments: [false, true], ["", "\u{FEFF}"])
    func `in UTF-16, a secret with JSON escapes is redacted`(isBigEndian: Bool, mark: String) throws {
        func bytes(_ text: String) -> [UInt8] {
            text.utf16.flatMap { unit -> [UInt8] in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                return isBigEndian ? [high, low] : [low, high]
            }
        }
        let redactor = redactor(#"say "hä" now"#)
        let text = #"{"p":"say \"hä\" now","q":"€ s\u0061y \"h\u00e4\" now!"}"#
        #expect(try redactor.redact(bytes(mark + text)) == bytes(mark + #"{"p":"***","q":"€ ***!"}"#))
    }

    @Test func `in ISO-8859-1, a secret with accents is redacted, plain or escaped`() throws {
        let latin1: [UInt8] = Array("p=p".utf8) + [0xE4] + Array("sse1&q=p%E4sse1 ".utf8) + [0xE4]
        #expect(try redactor("pässe1").redact(latin1) == Array("p=***&q=*** ".utf8) + [0xE4])
    }

    @Test func `strings, names and numbers in JSON are redacted if they contain or equal a secret`() {
        let value: JSON = [
            "a 123456": "x123456y", "list": [123456, 1234567, "ok", .null, true], "b": ["123456": 1, "z123456": 2],
        ]
        let expected: JSON = [
            "a ***": "x***y", "list": ["***", 1234567, "ok", .null, true], "b": ["***": 1, "z***": 2],
        ]
        #expect(redactor("123456").redact(value) == expected)
    }

    @Test func `members whose names differ only in their secrets are both kept`() {
        #expect(
            redactor("secret1", "secret2").redact(["secret1": 1, "secret2": 2, "x": 3]) == [
                "***": 1, "****": 2, "x": 3,
            ]
        )
    }

    @Test func `headers with credentials keep only their names`() {
        let headers = [
            (name: "AUTHORIZATION", value: "Bearer abc"), (name: "Cookie", value: "a=b"),
            (name: "Set-Cookie", value: "a=b"), (name: "proxy-authorization", value: "x"),
            (name: "X-Key", value: "key-77"), (name: "Accept", value: "*/*"),
        ]
        let redactor = redactor("key-77")
        let redacted = headers.map { redactor.header($0.name, $0.value) }
        #expect(redacted.map(\.name.string) == headers.map(\.name))
        #expect(redacted.map(\.value.string) == ["***", "***", "***", "***", "***", "*/*"])
    }

    @Test(
        arguments: [
            "X-Api-Key", "apikey", "x_auth_token", "X-CSRF-Token", "Password", "Session", "X-Amz-Signature",
            "Client-Secret", "Ocp-Apim-Subscription-Key", "Cookie2", "X-SESSION-ID",
        ]
    )
    func `the value of a field whose name means a credential is hidden`(name: String) {
        #expect(Redactor().header(name, "value").value.string == "***")
    }

    @Test(arguments: ["Tokens-Left", "Keyboard", "X-Author", "Idempotency-Key", "Secretary", "Accept", "-", ""])
    func `the value of a field with another name is shown`(name: String) {
        #expect(Redactor().header(name, "value").value.string == "value")
    }

    @Test func `literal text is joined with redacted strings and numbers`() throws {
        let redactor = redactor("hunter2")
        let text: RedactedText = "status \(404) from \(redactor.text("https://x/?p=hunter2"))"
        #expect(text.string == "status 404 from https://x/?p=***")
        #expect(redactor.json(["p": "hunter2"]).value == ["p": "***"])
        #expect(try redactor.bytes(Array("hunter2".utf8)).bytes == Array("***".utf8))
    }

    private func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = (group + [0, 0]).prefix(3).reduce(0) { $0 << 8 | Int($1) }
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : "=")
            }
        }
        return text
    }

    @Test(arguments: ["\n", "\r\n", "\n    "])
    func `a secret in Base64 with line breaks is redacted`(lineBreak: String) {
        let whole = Base64.encode(Array((String(repeating: "f", count: 50) + "supersecretvalue and more text").utf8))
        let (first, second) = (whole.prefix(76), whole.dropFirst(76))
        let text = "key: \(first)\(lineBreak)\(second)\(lineBreak)plain"
        let expected = "key: \(first.prefix(66))***\(whole.dropFirst(88))\(lineBreak)plain"
        let redactor = redactor("supersecretvalue")
        #expect(redactor.redact(text) == expected)
        let json = JSONWriter().string(.string(text))
        #expect(redactor.redact(json) == JSONWriter().string(.string(expected)))
    }

    @Test func `lines of a secret keep their line breaks`() {
        let lines = (0..<3).map { String(repeating: "\($0)a", count: 32) }
        let text = lines.joined(separator: "\n")
        #expect(redactor(text).redact("<\(text)\n>") == "<***\n>")
        #expect(redactor(lines[0], lines[2]).redact(text) == "***\n\(lines[1])\n***")
    }
}
