import Testing
import WaybillData

@Suite struct RedactorTests {
    private func redactor(_ secrets: String...) -> Redactor {
        let redactor = Redactor()
        for secret in secrets { redactor.register(secret) }
        return redactor
    }

    @Test(
        arguments: [
            ("hunter2", "the word is hunter2!", "the word is ***!"),
            ("hunter2", "hunter2", "***"),
            ("hunter2", "hunter2hunter2", "******"),
            ("hunter2", "Hunter2 hunter", "Hunter2 hunter"),
            ("hunter2", "", ""),
            ("pä$$ wörd", "?p=p%C3%A4%24%24%20w%C3%B6rd&q=1", "?p=***&q=1"),
            ("pä$$ wörd", "?p=p%c3%a4$$%20w%c3%b6rd&q=1", "?p=***&q=1"),
            ("pä$$ wörd", "p=p%C3%A4%24%24+w%C3%B6rd&q=1", "p=***&q=1"),
            ("a/b+c", "/x/a%2Fb%2Bc/y%2Fz", "/x/***/y%2Fz"),
            ("50%41x", "50%41x and 50%2541x and 50%4", "*** and *** and 50%4"),
            (#"say "hi"\now"#, #"{"p":"say \"hi\"\\now"}"#, #"{"p":"***"}"#),
            ("a/b\n\u{1}é😀", #"[a\/b\n\u0001\u00E9\uD83D\ude00\u0021]"#, #"[***\u0021]"#),
            ("a/b\n\u{1}é😀", #"\uD83D a/b \u12"#, #"\uD83D a/b \u12"#),
        ] as [(String, String, String)]
    )
    func `a secret goes, as it is or escaped, and nothing else does`(secret: String, text: String, expected: String) {
        #expect(redactor(secret).redact(text) == expected)
    }

    @Test(arguments: ["ab", "key", "s3cret", "correct horse", "pä$$?>~ÿ", "\u{3FF}\u{3FF}\u{3FF}>>>???"])
    func `a secret goes from base64 at every alignment, in both alphabets, padded or not`(secret: String) {
        let redactor = redactor(secret)
        let bytes = Array(secret.utf8)
        // A secret of two bytes has too few characters of its own inside a longer text.
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
                    // All characters stay that hold no bit of the secret, and only those.
                    let kept = redacted.dropFirst(6).dropLast().filter { $0 != "*" && $0 != "=" }
                    #expect(kept.count == foreign.count, "\(text) → \(redacted)")
                }
            }
        }
    }

    @Test func `all that overlapping secrets cover goes`() {
        #expect(redactor("abcd", "cdef", "bc").redact("xabcdefx abc bc") == "x***x a*** ***")
        #expect(redactor("token", "token-long").redact("token-long, token-") == "***, ***-")
    }

    @Test func `secrets registered one by one are all found, in any number`() {
        let redactor = Redactor()
        let secrets = (0..<500).map { "secret-number-\($0)." }
        for (index, secret) in secrets.enumerated() {
            redactor.register(secret)
            #expect(redactor.redact("<\(secret)>") == "<***>")
            if index + 1 < secrets.count { #expect(redactor.redact(secrets[index + 1]) == secrets[index + 1]) }
        }
        #expect(redactor.redact(secrets.joined(separator: " ")) == secrets.map { _ in "***" }.joined(separator: " "))
    }

    @Test func `without secrets, and for an empty one, everything stays`() {
        #expect(Redactor().redact("a%20b\\n") == "a%20b\\n")
        #expect(redactor("").redact("abc") == "abc")
    }

    @Test func `bytes that are no text are redacted too, and otherwise left`() {
        let redactor = redactor("key1")
        #expect(
            redactor.redact([0xFF, 0x25, 0x5C] + Array("key1".utf8) + [0xFE]) == [0xFF, 0x25, 0x5C, 42, 42, 42, 0xFE]
        )
        #expect(redactor.redact([0xFF, 0xFE, 0x00]) == [0xFF, 0xFE, 0x00])
    }

    @Test func `in JSON strings, names and whole numbers are redacted`() {
        let value: JSON = [
            "a 1234": "x1234y", "list": [1234, 12345, "ok", .null, true], "b": ["1234": 1, "z1234": 2],
        ]
        let expected: JSON = [
            "a ***": "x***y", "list": ["***", 12345, "ok", .null, true], "b": ["***": 1, "z***": 2],
        ]
        #expect(redactor("1234").redact(value) == expected)
    }

    @Test func `members whose names differ only in their secrets both stay`() {
        #expect(redactor("s1", "s2").redact(["s1": 1, "s2": 2, "x": 3]) == ["***": 1, "****": 2, "x": 3])
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

    @Test func `our own words are put together with redacted texts and numbers`() {
        let redactor = redactor("hunter2")
        let text: RedactedText = "status \(404) from \(redactor.text("https://x/?p=hunter2"))"
        #expect(text.string == "status 404 from https://x/?p=***")
        #expect(redactor.json(["p": "hunter2"]).value == ["p": "***"])
        #expect(redactor.bytes(Array("hunter2".utf8)).bytes == Array("***".utf8))
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
}
