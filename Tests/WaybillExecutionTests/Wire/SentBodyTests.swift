import Testing
import WaybillDiagnostics
import WaybillResults
import WaybillTestSupport

/// Each kind of body, byte for byte, as a server receives it.
@Suite(.timeLimit(.minutes(5))) struct SentBodyTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let step: String
        let head: String
        var body = ""

        var testDescription: String { step }
    }

    private static let form = "Content-Type: application/x-www-form-urlencoded"
    private static let json = "Content-Type: application/json"

    @Test(arguments: [
        Case(
            step:
                "{id: a, post: /a, body: {json: {n: 1.10, b: 12345678901234567890, z: ~, l: [true, \"ü\\n\"], s: \"1\"}}}",
            head: "POST /a HTTP/1.1|\(json)|Content-Length: COUNT",
            body: #"{"n":1.10,"b":12345678901234567890,"z":null,"l":[true,"ü\n"],"s":"1"}"#
        ),
        Case(
            step: "{id: a, post: /a, body: {json: \"${1 + 1}\"}}",
            head: "POST /a HTTP/1.1|\(json)|Content-Length: COUNT",
            body: "2"
        ),
        Case(
            step: "{id: a, put: /a, body: {form: {b: {c: [x, {d: y}], e: ~}, ü: \"a b+c&d=e~*/\", n: 1.10, t: true}}}",
            head: "PUT /a HTTP/1.1|\(form)|Content-Length: COUNT",
            body: "b%5Bc%5D%5B%5D=x&b%5Bc%5D%5B%5D%5Bd%5D=y&b%5Be%5D=&%C3%BC=a+b%2Bc%26d%3De%7E*%2F&n=1.10&t=true"
        ),
        Case(
            step:
                "{id: a, put: /a, arrays: repeat, body: {form: {b: {c: [x, {d: y}]}, l: [1, 2]}}, params: {p: [3, 4]}}",
            head: "PUT /a HTTP/1.1|\(form)|Content-Length: COUNT",
            body: "p=3&p=4&b%5Bc%5D=x&b%5Bc%5D%5Bd%5D=y&l=1&l=2"
        ),
        Case(
            step: "{id: a, post: /a, body: {plist: {a: 1, b: [true, 1.5, \"<ü>\"]}}}",
            head: "POST /a HTTP/1.1|Content-Type: application/x-plist|Content-Length: COUNT",
            body: plist(
                "<key>a</key>",
                "<integer>1</integer>",
                "<key>b</key>",
                "<array>",
                "\t<true/>",
                "\t<real>1.5</real>",
                "\t<string>&lt;ü&gt;</string>",
                "</array>"
            )
        ),
        Case(
            step: "{id: a, post: /a, body: {text: \"a\\r\\n\\0ü😀\"}}",
            head: "POST /a HTTP/1.1|Content-Type: text/plain; charset=utf-8|Content-Length: COUNT",
            body: "a\r\n\0ü😀"
        ),
        Case(
            step: "{id: a, post: /a, body: {text: \"\"}}",
            head: "POST /a HTTP/1.1|Content-Type: text/plain; charset=utf-8|Content-Length: 0"
        ),
        Case(
            step: "{id: a, patch: /a, body: {base64: \"AAEC/w==\"}, headers: {content-type: image/x}}",
            head: "PATCH /a HTTP/1.1|content-type: image/x|Content-Length: 4",
            body: "\u{0}\u{1}\u{2}\u{FFFD}"
        ),
        Case(
            step: "{id: a, put: /a, body: {file: f.txt}}",
            head: "PUT /a HTTP/1.1|Content-Type: text/plain|Content-Length: COUNT",
            body: "file\n"
        ),
        Case(
            step: "{id: a, put: /a, body: {file: empty}, headers: {Content-Type: null}}",
            head: "PUT /a HTTP/1.1|Content-Length: 0"
        ),
        Case(
            step:
                "{id: a, post: /a, body: {graphql: {query: \"query Q($$n: Int) {\\n me }\", variables: {n: \"${1 + 1}\"}}}}",
            head: "POST /a HTTP/1.1|\(json)|Content-Length: COUNT",
            body: #"{"query":"query Q($$n: Int) {\n me }","variables":{"n":2}}"#
        ),
        Case(
            step: "{id: a, post: /a, body: {graphql: {query: \"{ me }\"}}}",
            head: "POST /a HTTP/1.1|\(json)|Content-Length: COUNT",
            body: #"{"query":"{ me }"}"#
        ),
        Case(step: "{id: a, post: /a}", head: "POST /a HTTP/1.1|Content-Length: 0"),
        Case(step: "{id: a, delete: /a}", head: "DELETE /a HTTP/1.1"),
        Case(
            step: "{id: a, post: /a, params: {a: 1.10, b: {c: x y}, d: [1, 2]}}",
            head: "POST /a HTTP/1.1|\(form)|Content-Length: COUNT",
            body: "a=1.10&b%5Bc%5D=x+y&d%5B%5D=1&d%5B%5D=2"
        ),
        Case(
            step: "{id: a, put: /a, encoding: json, params: {a: 1.10, b: {c: x y}, d: [1, ~]}, query: {q: 1}}",
            head: "PUT /a?q=1 HTTP/1.1|\(json)|Content-Length: COUNT",
            body: #"{"a":1.10,"b":{"c":"x y"},"d":[1,null]}"#
        ),
        Case(
            step: "{id: a, patch: /a, encoding: plist, params: {a: 1}}",
            head: "PATCH /a HTTP/1.1|Content-Type: application/x-plist|Content-Length: COUNT",
            body: plist("<key>a</key>", "<integer>1</integer>")
        ),
        Case(
            step: "{id: a, get: /a, params: {a: 1.10, b: {c: x y}, d: [1, 2]}}",
            head: "GET /a?a=1.10&b%5Bc%5D=x%20y&d%5B%5D=1&d%5B%5D=2 HTTP/1.1"
        ),
        Case(
            step: "{id: a, head: /a, arrays: repeat, encoding: json, params: {d: [1, 2]}}",
            head: "HEAD /a?d=1&d=2 HTTP/1.1"
        ),
        Case(
            step: "{id: a, delete: \"/a?x=1\", params: {p: \"${'a&b'}\"}, body: {text: x}}",
            head: "DELETE /a?x=1&p=a%26b HTTP/1.1|Content-Type: text/plain; charset=utf-8|Content-Length: COUNT",
            body: "x"
        ),
    ])
    func `a body is sent as written`(_ example: Case) async throws {
        let files = ["f.txt": Array("file\n".utf8), "empty": []]
        let exchange = try await WireExchange.run(example.step, files: files)
        let head = try exchange.head()
        #expect(head == example.head.replacing("COUNT", with: "\(example.body.utf8.count)"))
        #expect(try exchange.body() == example.body)
    }

    private static func plist(_ members: String...) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \(members.map { "\t\($0)\n" }.joined())</dict>
        </plist>

        """
    }

    @Test func `a large file is sent unchanged, with its length`() async throws {
        let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let exchange = try await WireExchange.run("{id: a, put: /a, body: {file: f}}", files: ["f": content])
        #expect(try exchange.head().hasSuffix("|Content-Length: 3000000"))
        #expect(exchange.received.first?.body == content)
    }

    @Test func `parts are sent one after another, each with its header`() async throws {
        let exchange = try await WireExchange.run(
            """
            {id: a, post: /a, params: {z: {y: [1.10]}}, body: {multipart: [{name: v, value: 001}, {name: f, file: x.bin},
            {name: g, file: x.bin, filename: y.png, contentType: image/png, headers: {X-P: "1", Content-Language: de}},
            {name: t, text: "hü\\r\\n"}, {base64: aMO8, filename: b}, {name: j, json: {n: "${1 + 1}"}}, {value: ""}]}}
            """.replacing("\n", with: " "),
            files: ["x.bin": [0x2D, 0x2D, 0x0D, 0x0A]]
        )
        let body = """
            --BOUNDARY
            Content-Disposition: form-data; name="z[y][]"

            1.10
            --BOUNDARY
            Content-Disposition: form-data; name="v"

            001
            --BOUNDARY
            Content-Disposition: form-data; name="f"; filename="x.bin"
            Content-Type: application/octet-stream

            --

            --BOUNDARY
            Content-Disposition: form-data; name="g"; filename="y.png"
            Content-Type: image/png
            X-P: 1
            Content-Language: de

            --

            --BOUNDARY
            Content-Disposition: form-data; name="t"
            Content-Type: text/plain; charset=utf-8

            hü

            --BOUNDARY
            Content-Disposition: form-data; filename="b"
            Content-Type: application/octet-stream

            hü
            --BOUNDARY
            Content-Disposition: form-data; name="j"
            Content-Type: application/json

            {"n":2}
            --BOUNDARY
            Content-Disposition: form-data


            --BOUNDARY--

            """.replacing("\n", with: "\r\n")
        #expect(try exchange.body() == body)
        let length = exchange.received[0].body.count
        #expect(
            try exchange.head()
                == "POST /a HTTP/1.1|Content-Type: multipart/form-data; boundary=BOUNDARY|Content-Length: \(length)"
        )
    }

    @Test(arguments: [
        (#"a"b\\c"#, #"a%22b\c"#), (#"a\r\nb"#, "a%0D%0Ab"), ("ü☃😀", "ü☃😀"), ("%22 ';=", "%22 ';="), (#"a\tb"#, "a\tb"),
        ("", ""),
    ])
    func `names are escaped as in browsers`(written: String, sent: String) async throws {
        let name = written.replacing("\"", with: "\\\"")
        let exchange = try await WireExchange.run(
            "{id: a, post: /a, body: {multipart: [{name: \"\(name)\", filename: \"\(name)\", value: x}]}}"
        )
        #expect(
            try exchange.body().split(separator: "\r\n")[1]
                == "Content-Disposition: form-data; name=\"\(sent)\"; filename=\"\(sent)\""
        )
    }

    @Test(arguments: [
        ("{value: x, headers: {content-type: text/x}}", "Content-Disposition: form-data|content-type: text/x||x"),
        ("{json: 1, headers: {Content-Type: text/x}}", "Content-Disposition: form-data|Content-Type: text/x||1"),
        (
            "{name: n, value: x, headers: {content-disposition: inline}}",
            "content-disposition: inline||x"
        ),
    ])
    func `a part has no duplicate fields, and its own fields take precedence`(part: String, lines: String) async throws
    {
        let exchange = try await WireExchange.run("{id: a, post: /a, body: {multipart: [\(part)]}}")
        #expect(
            try exchange.body()
                == "--BOUNDARY|\(lines)|--BOUNDARY--|".replacing("|", with: "\r\n")
        )
    }

    @Test(arguments: ["multipart/mixed", "multipart/mixed; boundary=mine; charset=x"])
    func `another multipart type is sent with the boundary of the body`(type: String) async throws {
        let exchange = try await WireExchange.run(
            "{id: a, post: /a, headers: {Content-Type: \"\(type)\"}, body: {multipart: [{value: x}]}}"
        )
        let sent = try #require(exchange.received.first?.values(named: "Content-Type").first)
        let boundary = try #require(sent.split(separator: "boundary=").last)
        #expect(sent.hasPrefix("multipart/mixed"))
        #expect(sent.split(separator: "boundary=").count == 2)
        #expect(String(decoding: exchange.received[0].body, as: UTF8.self).hasPrefix("--\(boundary)\r\n"))
    }

    @Test(arguments: [
        "{name: \"${'a\\\\u0000'}\", value: x}", "{filename: \"${'a\\\\u001b'}\", value: x}",
        "{contentType: \"${'a\\\\nb: c'}\", value: x}", "{headers: {X: \"${'a\\\\rb'}\"}, value: x}",

    ])
    func `a value that could break the header of a part is refused with its location`(part: String) async throws {
        let exchange = try await WireExchange.run("{id: a, post: /a, body: {multipart: [\(part)]}}")
        #expect(exchange.failure?.kind == .input)
        #expect(exchange.failure?.span != nil)
        #expect(exchange.received.isEmpty)
    }
}
