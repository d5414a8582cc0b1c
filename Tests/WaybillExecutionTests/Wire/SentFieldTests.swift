import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillResults
import WaybillRuntime
import WaybillTestSupport

/// URLs and header fields, byte for byte, as a server receives them.
@Suite(.timeLimit(.minutes(5))) struct SentFieldTests {
    private static let agent = "User-Agent: waybill/\(WaybillVersion.current)"

    @Test(arguments: [
        ("", "GET /a HTTP/1.1|Host: 127.0.0.1:PORT|Accept-Encoding: CODINGS|Accept: */*|\(agent)"),
        (
            "headers: {X-A: 1.10, X-B: [b, \"\", a], X-C: \"\", x-d: \"${'é'}\"}",
            "GET /a HTTP/1.1|Host: 127.0.0.1:PORT|Accept-Encoding: CODINGS|X-A: 1.10|X-B: b|X-B:|X-B: a|X-C:|x-d: é|Accept: */*|"
                + agent
        ),
        (
            "headers: {accept: text/x, USER-AGENT: me, accept-encoding: gzip, host: h}",
            "GET /a HTTP/1.1|Host: h|accept: text/x|USER-AGENT: me|accept-encoding: gzip"
        ),
        ("headers: {Accept: null, user-agent: null, Accept-Encoding: null}", "GET /a HTTP/1.1|Host: 127.0.0.1:PORT"),
        (
            "compression: false, userAgent: \"u/1\", accept: [a/b, c/*]",
            "GET /a HTTP/1.1|Host: 127.0.0.1:PORT|Accept: a/b, c/*|User-Agent: u/1"
        ),
        (
            "headers: {User-Agent: \"\"}, compression: false",
            "GET /a HTTP/1.1|Host: 127.0.0.1:PORT|User-Agent:|Accept: */*"
        ),
        (
            "headers: {Cookie: \"a=1; b=2\"}, compression: false",
            "GET /a HTTP/1.1|Host: 127.0.0.1:PORT|Cookie: a=1; b=2|Accept: */*|\(agent)"
        ),
        (
            "headers: {Cookie: [a=1, b=2]}, auth: {apiKey: {in: cookie, name: k, value: v}}, compression: false",
            "GET /a HTTP/1.1|Host: 127.0.0.1:PORT|Cookie: a=1; b=2; k=v|Accept: */*|\(agent)"
        ),
    ])
    func `header fields are sent as written`(settings: String, head: String) async throws {
        let exchange = try await WireExchange.run("{id: a, get: /a\(settings.isEmpty ? "" : ", ")\(settings)}")
        var sent = try exchange.head(keeping: ["host", "accept", "accept-encoding", "user-agent"])
        if !settings.contains("Encoding"), let codings = exchange.received[0].values(named: "Accept-Encoding").first {
            sent.replace(": \(codings)|", with: ": CODINGS|")
        }
        #expect(sent == head)
    }

    @Test func `a field of the service is removed by its name in any letter case`() async throws {
        let exchange = try await WireExchange.run(
            "{id: a, get: /a, headers: {x-one: null, X-TWO: 2}}",
            service: "headers: {X-One: 1, x-two: 1, X-Three: [3, 4]}"
        )
        #expect(try exchange.head() == "GET /a HTTP/1.1|X-TWO: 2|X-Three: 3|X-Three: 4")
    }

    @Test func `a body has no Content-Type if that field is removed`() async throws {
        let exchange = try await WireExchange.run(
            "{id: a, post: /a, headers: {content-type: null}, body: {json: 1}}"
        )
        #expect(try exchange.head() == "POST /a HTTP/1.1|Content-Length: 1")
    }

    @Test(arguments: ["\\\\n", "\\\\r", "\\\\u0000", "\\\\r\\\\nX-Evil: 1", "\\\\u001f", "\\\\u007f"])
    func `a value that could break the header is refused with its location, and never sent`(text: String) async throws {
        for setting in [
            "headers: {X-A: \"${'a\(text)b'}\"}", "headers: {X-A: [x, \"${'a\(text)b'}\"]}",
            "userAgent: \"${'a\(text)b'}\"",
            "auth: {bearer: \"${'a\(text)b'}\"}", "auth: {apiKey: {in: header, name: X-K, value: \"${'a\(text)b'}\"}}",
            "auth: {apiKey: {in: cookie, name: k, value: \"${'a\(text)b'}\"}}",
        ] {
            let exchange = try await WireExchange.run("{id: a, get: /a, \(setting)}")
            #expect(exchange.failure?.kind == .input, "\(setting)")
            #expect(exchange.failure?.message.string.contains("a line break or another control character") == true)
            let span = try #require(exchange.failure?.span)
            #expect(span.start.line == 10, "\(setting)")
            #expect(exchange.received.isEmpty)
        }
    }

    @Test(arguments: [
        ("headers: {Host: \"${list('a', 'b')}\"}", "a request has only one field 'Host'"),
        ("headers: {host: [a, \"${'b'}\"]}", "a request has only one field 'host'"),
        (
            "headers: {X-A: [x, \"${list(1, null)}\"]}",
            "'X-A' can only be repeated with strings, numbers and booleans, found null"
        ),
        ("query: {q: \"${list(1, null)}\"}", "found null at index 1 of the list"),
        (
            "query: {q: \"${list(list(1))}\"}",
            "'q' can only be repeated with strings, numbers and booleans, found a list at index 0"
        ),
    ])
    func `values that a field or parameter cannot have are refused with its name`(setting: String, message: String)
        async throws
    {
        let exchange = try await WireExchange.run("{id: a, get: /a, \(setting)}")
        #expect(exchange.failure?.kind == .input && exchange.received.isEmpty)
        #expect(exchange.failure?.message.string.contains(message) == true, "\(String(describing: exchange.failure))")
        #expect(exchange.failure?.span?.start.line == 10)
    }

    @Test(arguments: [
        ("/a/${'b/c d?e#f%41'}/g", "/a/b%2Fc%20d%3Fe%23f%2541/g"),
        ("/a/${raw('b/c d?e=f&g#h%20i')}", "/a/b/c%20d?e=f&g%23h%20i"),
        ("/a/${'..b'}${'.'}", "/a/..b."),
        ("/a/x${''}/b", "/a/x/b"),
        ("/a/${raw('')}", "/a/"),
        ("/a?x=${''}&y=${'..'}&z=${'a b+c'}", "/a?x=&y=..&z=a%20b%2Bc"),
        ("/a/../b/./c//d/%2e%2E/", "/a/../b/./c//d/%2e%2E/"),
        ("/100%/%zz/%4/%41", "/100%25/%25zz/%254/%41"),
        ("/ü ä\\\"<>\\\\^`{|}", "/%C3%BC%20%C3%A4%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("/a:b@c;d=e,f+g!h$i&j'k(l)m*n~o", "/a:b@c;d=e,f+g!h$i&j'k(l)m*n~o"),
        ("a#fragment", "/a"),
        ("?x", "?x"),
        ("${'a'}", "/a"),
    ])
    func `a URL is sent as written, with values as path segments`(path: String, target: String) async throws {
        let exchange = try await WireExchange.run("{id: a, get: \"\(path)\"}")
        let words = exchange.failure?.message.string ?? ""
        // A URL without a path has the path `/`.
        #expect(exchange.received.first?.target == (target.hasPrefix("?") ? "/\(target)" : target), "\(words)")
    }

    @Test(arguments: [
        (
            "query: {a: 1.10, l: [1, \"\", \"${'b c'}\"], e: \"\", \"n m\": \"&=#\"}",
            "/a?z=0&a=1.10&l=1&l=&l=b%20c&e=&n%20m=%26%3D%23"
        ),
        ("query: {z: null, a: [\"${1 + 1}\"]}", "/a?a=2"),
        ("query: {z: null}", "/a"),
        ("inherit: {query: false}, query: {q: ~}", "/a"),
    ])
    func `a query is sent with a parameter for each value`(settings: String, target: String) async throws {
        let exchange = try await WireExchange.run("{id: a, get: /a, \(settings)}", service: "query: {z: 0}")
        let words = exchange.failure?.message.string ?? ""
        #expect(exchange.received.first?.target == target, "\(words)")
    }

    @Test(arguments: [
        ("/a/${'..'}/b", "'..' cannot be a segment"), ("/a/${'.'}", "'.' cannot be a segment"),
        ("/a/.${'.'}", "'..' cannot be a segment"), ("/a/%2E${'.'}", "'%2E.' cannot be a segment"),
        ("/a/${raw('b/../c')}", "'..' cannot be a segment"), ("/a/${raw('../c')}/d", "'..' cannot be a segment"),
        ("/a/${''}", "this is empty"), ("/a/${''}/b", "this is empty"), ("/a/${''}?x=1", "this is empty"),
    ])
    func `a value that would lead to another URL is refused`(path: String, words: String) async throws {
        for step in ["{id: a, get: \"\(path)\"}", "{id: a, get: \"http://127.0.0.1:9\(path)\"}"] {
            let exchange = try await WireExchange.run(step)
            #expect(exchange.failure?.kind == .input, "\(step)")
            #expect(
                exchange.failure?.message.string.contains(words) == true,
                "\(exchange.failure?.message.string ?? "")"
            )
            #expect(exchange.received.isEmpty)
        }
    }

    @Test(arguments: [
        "{basic: {username: \"${'a:b'}\", password: c}}", "{apiKey: {in: cookie, name: k, value: \"${'a; admin=1'}\"}}",
    ])
    func `credentials that would be read as different ones are refused`(auth: String) async throws {
        let exchange = try await WireExchange.run("{id: a, get: /a, auth: \(auth)}")
        #expect(exchange.failure?.kind == .input)
        #expect(exchange.failure?.span?.start.line == 10)
        #expect(exchange.received.isEmpty)
    }

    @Test func `a URL from a value is used unchanged`() async throws {
        let exchange = try await WireExchange.run(
            "{id: a, request: {url: \"${concat('http://127.0.0.1:1', '/x/../y')}\"}}"
        )
        #expect(exchange.failure?.kind == .connect)
        #expect(exchange.outcome.result.steps.first?.url?.string == "http://127.0.0.1:1/x/../y")
        let version = try await WireExchange.run("{id: a, get: /a, version: \"${'..'}\"}")
        #expect(version.failure?.kind == .input)
    }
}
