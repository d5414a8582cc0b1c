import Synchronization
import Testing
import WaybillTestSupport

/// Imported Hurl files pass with the responses that they expect, and fail with others.
@Suite(.timeLimit(.minutes(5))) struct HurlRunTests {
    private typealias Case = (source: String, honest: ServerResponse, lies: [ServerResponse])

    private static func response(
        _ body: String,
        type: String,
        _ headers: KeyValuePairs<String, String> = [:],
        status: Int = 200
    ) -> ServerResponse {
        let fields = [(name: "Content-Type", value: type)] + headers.map { (name: $0.key, value: $0.value) }
        return ServerResponse(status: status, headers: fields, body: Array(body.utf8))
    }

    private static func json(_ body: String, _ headers: KeyValuePairs<String, String> = [:], status: Int = 200)
        -> ServerResponse
    {
        response(body, type: "application/json", headers, status: status)
    }

    private static func text(_ body: String, _ headers: KeyValuePairs<String, String> = [:], status: Int = 200)
        -> ServerResponse
    {
        response(body, type: "text/plain; charset=utf-8", headers, status: status)
    }

    /// What follows a request, or only its assertions; a response that meets it; and others that do not.
    private static let cases: [Case] = [
        ("HTTP 200", json("{}"), [json("{}", status: 404)]),
        (
            "HTTP *\n[Asserts]\nstatus >= 400\nstatus < 500", json("{}", status: 404),
            [json("{}", status: 500), json("{}")]
        ),
        ("HTTP 200\nX-A: b", json("{}", ["X-A": "b"]), [json("{}", ["X-A": "c"]), json("{}")]),
        ("header \"X-A\" contains \"b\"", json("{}", ["X-A": "abc"]), [json("{}", ["X-A": "ac"]), json("{}")]),
        ("header \"X-A\" not contains \"b\"", json("{}"), [json("{}", ["X-A": "abc"])]),
        ("header \"X-A\" not exists", json("{}"), [json("{}", ["X-A": "abc"])]),
        ("header \"X-A\" split \",\" count == 2", json("{}", ["X-A": "a,b"]), [json("{}", ["X-A": "a"])]),
        (
            "header \"X-A\" matches /^\\d{2}-[a-z]+$/", json("{}", ["X-A": "12-ab"]),
            [json("{}", ["X-A": "x12-ab"]), json("{}", ["X-A": "1"])]
        ),
        (
            "HTTP 200\nSet-Cookie: sid=abcdefgh1; Path=/; HttpOnly",
            json("{}", ["Set-Cookie": "sid=abcdefgh1; Path=/; HttpOnly"]),
            [
                json("{}", ["Set-Cookie": "sid=abcdefgh2; Path=/; HttpOnly"]),
                json("{}", ["Set-Cookie": "sid=abcdefgh1; Path=/"]),
            ]
        ),
        (
            "cookie \"sid\" == \"abcdefgh1\"", json("{}", ["Set-Cookie": "sid=abcdefgh1; Path=/"]),
            [json("{}", ["Set-Cookie": "sid=x; Path=/"])]
        ),
        ("cookie \"sid\" exists\ncookie \"other\" not exists", json("{}", ["Set-Cookie": "sid=x"]), [json("{}")]),
        (
            "jsonpath \"$.a\" == 1", json("{\"a\":1}"),
            [json("{\"a\":2}"), json("{\"a\":\"1\"}"), json("{}"), json("[]")]
        ),
        ("jsonpath \"$.a\" == \"x\"", json("{\"a\":\"x\"}"), [json("{\"a\":\"y\"}"), json("{\"a\":[\"x\"]}")]),
        ("jsonpath \"$.a\" != null", json("{\"a\":1}"), [json("{\"a\":null}"), json("{}")]),
        ("jsonpath \"$.a\" not == 3", json("{}"), [json("{\"a\":3}")]),
        (
            "jsonpath \"$.a\" > 3\njsonpath \"$.a\" <= 10", json("{\"a\":4.5}"),
            [json("{\"a\":3}"), json("{\"a\":\"4\"}"), json("{\"a\":11}")]
        ),
        ("jsonpath \"$.a\" not > 3", json("{\"a\":3}"), [json("{\"a\":4}"), json("{\"a\":\"x\"}")]),
        (
            "jsonpath \"$.l\" count == 2", json("{\"l\":[1,2]}"),
            [json("{\"l\":[1]}"), json("{}"), json("{\"l\":null}")]
        ),
        (
            "jsonpath \"$.l[*].id\" count == 2", json("{\"l\":[{\"id\":1},{\"id\":2},{}]}"),
            [json("{\"l\":[{\"id\":1}]}"), json("{}")]
        ),
        (
            "jsonpath \"$.l[?(@.id==2)].n\" == \"b\"", json("{\"l\":[{\"id\":1,\"n\":\"a\"},{\"id\":2,\"n\":\"b\"}]}"),
            [json("{\"l\":[{\"id\":2,\"n\":\"a\"}]}"), json("{\"l\":[]}")]
        ),
        ("jsonpath \"$.l[?(@.id==2)]\" not exists", json("{\"l\":[{\"id\":1}]}"), [json("{\"l\":[{\"id\":2}]}")]),
        ("jsonpath \"$..id\" contains 7", json("{\"l\":[{\"id\":1},{\"id\":7}]}"), [json("{\"l\":[{\"id\":2}]}")]),
        ("jsonpath \"$.l\" contains \"x\"", json("{\"l\":[\"x\"]}"), [json("{\"l\":[\"y\"]}"), json("{}")]),
        ("jsonpath \"$.l\" not contains \"x\"", json("{\"l\":[\"y\"]}"), [json("{\"l\":[\"x\"]}"), json("{\"l\":3}")]),
        ("jsonpath \"$.l\" isEmpty", json("{\"l\":[]}"), [json("{\"l\":[1]}"), json("{}"), json("{\"l\":0}")]),
        ("jsonpath \"$.l\" not isEmpty", json("{\"l\":[1]}"), [json("{\"l\":[]}"), json("{\"l\":0}")]),
        ("jsonpath \"$.a\" isInteger", json("{\"a\":1}"), [json("{\"a\":1.5}"), json("{\"a\":\"1\"}")]),
        ("jsonpath \"$.a\" isFloat", json("{\"a\":1.5}"), [json("{\"a\":1}"), json("{\"a\":\"1.5\"}")]),
        ("jsonpath \"$.a\" isNumber", json("{\"a\":1.5}"), [json("{\"a\":true}"), json("{\"a\":\"1.5\"}")]),
        ("jsonpath \"$.a\" isString", json("{\"a\":\"1\"}"), [json("{\"a\":1}"), json("{}")]),
        ("jsonpath \"$.a\" isBoolean", json("{\"a\":false}"), [json("{\"a\":0}"), json("{\"a\":null}")]),
        ("jsonpath \"$.a\" isCollection", json("{\"a\":{}}"), [json("{\"a\":\"[]\"}")]),
        ("jsonpath \"$.a\" isList", json("{\"a\":[]}"), [json("{\"a\":{}}")]),
        ("jsonpath \"$.a\" isObject", json("{\"a\":{}}"), [json("{\"a\":[]}")]),
        (
            "jsonpath \"$.a\" isUuid", json("{\"a\":\"01cc0f54-8885-4a1d-9121-ae5d316a33c5\"}"),
            [json("{\"a\":\"01cc0f54\"}")]
        ),
        (
            "jsonpath \"$.a\" isIsoDate", json("{\"a\":\"2024-03-20T11:23:56.773+02:00\"}"),
            [json("{\"a\":\"2024-13-20T11:23:56Z\"}"), json("{\"a\":\"20 March\"}")]
        ),
        ("jsonpath \"$.a\" isIpv4", json("{\"a\":\"192.168.0.1\"}"), [json("{\"a\":\"192.168.0.256\"}")]),
        (
            "jsonpath \"$.a\" startsWith \"ab\"\njsonpath \"$.a\" endsWith \"yz\"", json("{\"a\":\"ab-yz\"}"),
            [json("{\"a\":\"ab-y\"}"), json("{\"a\":\"b-yz\"}")]
        ),
        ("jsonpath \"$.a\" matches \"(?:ab|cd)[\\\\w-]+?z\"", json("{\"a\":\"ab-yz\"}"), [json("{\"a\":\"ef-yz\"}")]),
        (
            "jsonpath \"$.a\" regex /id=(\\d+)/ toInt == 7", json("{\"a\":\"x id=7\"}"),
            [json("{\"a\":\"id=8\"}"), json("{\"a\":\"none\"}")]
        ),
        ("jsonpath \"$.a\" replace \"-\" \"\" == \"ab\"", json("{\"a\":\"a-b\"}"), [json("{\"a\":\"a-c\"}")]),
        (
            "jsonpath \"$.l\" nth 1 == \"b\"\njsonpath \"$.l\" first == \"a\"\njsonpath \"$.l\" last == \"c\"",
            json("{\"l\":[\"a\",\"b\",\"c\"]}"), [json("{\"l\":[\"a\",\"c\"]}"), json("{\"l\":[\"a\"]}")]
        ),
        ("jsonpath \"$.a\" base64Decode utf8Decode == \"hi\"", json("{\"a\":\"aGk=\"}"), [json("{\"a\":\"aGo=\"}")]),
        ("jsonpath \"$.a\" urlEncode == \"a%20/b\"", json("{\"a\":\"a /b\"}"), [json("{\"a\":\"a b\"}")]),
        (
            "jsonpath \"$.a\" toDate \"%+\" dateFormat \"%Y-%m\" == \"2024-03\"",
            json("{\"a\":\"2024-03-20T11:23:56Z\"}"), [json("{\"a\":\"2024-04-20T11:23:56Z\"}")]
        ),
        (
            "jsonpath \"$.s\" jsonpath \"$.m\" == \"x\"", json("{\"s\":\"{\\\"m\\\":\\\"x\\\"}\"}"),
            [json("{\"s\":\"{\\\"m\\\":\\\"y\\\"}\"}")]
        ),
        ("body contains \"hello\"", text("say hello"), [text("say hallo"), text("")]),
        ("body == \"\"", text(""), [text("x")]),
        ("HTTP 204\n[Asserts]\nbody isEmpty", response("", type: "text/plain", status: 204), [text("x")]),
        (
            "body contains \"\\\"a\\\": 1\"\njsonpath \"$.a\" == 1", json("{\"a\": 1}"),
            [json("{\"a\":1}"), json("{\"b\":0,\"c\":\"\\\"a\\\": 1\"}")]
        ),
        ("regex \"id-([0-9]+)\" == \"7\"", text("x id-7"), [text("id-8"), text("x")]),
        (
            "bytes count == 3\nbytes startsWith hex,6162;\nbytes == hex,616263;", text("abc"),
            [text("abd"), text("abcd")]
        ),
        ("md5 == hex,900150983cd24fb0d6963f7d28e17f72;", text("abc"), [text("abd")]),
        (
            "HTTP 200\n{\"a\": [1, {\"b\": null}]}", json("{\"a\":[1,{\"b\":null}]}"),
            [json("{\"a\":[1,{\"b\":null}],\"c\":1}"), json("{\"a\":[1,{}]}")]
        ),
        (
            "HTTP 200\nContent-Type: text/html\n{\"a\": 1}", response("{\"a\":1}", type: "text/html"),
            [response("{\"a\":2}", type: "text/html")]
        ),
        ("body contains \"a\"\n{\"a\": 1}", json("{\"a\":1}"), [json("{\"a\":2}")]),
        ("HTTP 200\n`hello`", text("hello"), [text("hello\n"), text("")]),
        ("HTTP 200\n```\nl1\nl2\n```", text("l1\nl2\n"), [text("l1\nl2")]),
        (
            "HTTP 200\n<a><b/></a>", response("<a><b/></a>", type: "application/xml"),
            [response("<a></a>", type: "application/xml")]
        ),
        ("HTTP 200\nbase64,YWJj;", text("abc"), [text("abd")]),
        (
            "HTTP 200\n[Captures]\nx: jsonpath \"$.a\"\n[Asserts]\nvariable \"x\" == 7\njsonpath \"$.b\" == {{x}}\njsonpath \"$.c\" == \"n{{x}}\"",
            json("{\"a\":7,\"b\":7,\"c\":\"n7\"}"),
            [
                json("{\"a\":8,\"b\":8,\"c\":\"n8\"}"), json("{\"a\":7,\"b\":8,\"c\":\"n7\"}"),
                json("{\"a\":7,\"b\":7,\"c\":\"n8\"}"),
            ]
        ),
        (
            "HTTP 302\nLocation: /x\n[Asserts]\nredirects count == 0",
            response("", type: "text/plain", ["Location": "/x"], status: 302),
            [response("", type: "text/plain", ["Location": "/y"], status: 302), json("{}")]
        ),
    ]

    @Test func `each assertion passes with an honest server, and can fail`() async throws {
        let folder = TemporaryFolder()
        let server = try SwitchedServer(Self.cases.map(\.honest))
        defer { server.stop() }
        let entries = Self.cases.enumerated().map { index, value in
            let response = value.source.hasPrefix("HTTP") ? value.source : "HTTP 200\n[Asserts]\n\(value.source)"
            return "GET \(server.url)/c\(index)\n\(response)"
        }
        folder.write(entries.joined(separator: "\n\n"), to: "cases.hurl")
        let imported = try await Command.run(
            CommandCase.program,
            ["import", "cases.hurl", "--strict", "--env-file-out", "cases.env"],
            in: folder.path
        )
        #expect(imported.status == 0, "\(imported.errorText)")
        // All steps run, whatever the others do.
        folder.write(
            imported.outputText.replacing("  main:\n", with: "  main:\n    onFailure: collect\n"),
            to: "m.yaml"
        )
        let run = ["run", "m.yaml", "--env-file", "cases.env"]
        let honest = try await Command.run(CommandCase.program, run, in: folder.path)
        #expect(honest.status == 0, "\(honest.outputText)\(honest.errorText)")
        for round in 0..<(Self.cases.map(\.lies.count).max() ?? 0) {
            server.set(Self.cases.map { round < $0.lies.count ? $0.lies[round] : $0.honest })
            let result = try await Command.run(CommandCase.program, run, in: folder.path)
            for (index, value) in Self.cases.enumerated() where round < value.lies.count {
                #expect(result.outputText.contains("✗ main.c\(index) "), "lie \(round) passes: \(value.source)")
            }
        }
    }

    /// A session with a token of a form, cookies, a resource that is created and polled, uploads, and redirects.
    private static let session = """
        # The form has a token.
        GET {{host}}/login
        HTTP 200
        [Captures]
        csrf: regex /name="csrf" value="(.*?)"/

        POST {{host}}/login
        [Form]
        user: demo
        password: tiger-17
        csrf: {{csrf}}
        HTTP 302
        Location: /home

        GET {{host}}/redirect
        [Options]
        location: true
        HTTP 200
        [Asserts]
        url endsWith "/home"
        redirects count == 1
        jsonpath "$.cookie" == "sid=abcdefgh1"

        POST {{host}}/orders
        {"item": "{{item}}", "count": {{count}}}
        HTTP 201
        [Captures]
        id: jsonpath "$.id"

        GET {{host}}/orders/{{id}}
        [Query]
        expand: a b
        [Options]
        retry: 5
        retry-interval: 10ms
        HTTP 200
        [Asserts]
        jsonpath "$.id" == {{id}}
        jsonpath "$.state" == "done"

        POST {{host}}/photos
        [Multipart]
        title: A cat
        photo: file,cat.txt; text/plain
        HTTP 200
        [Asserts]
        body contains "A cat"
        body contains "a small cat"

        POST {{host}}/graphql
        ```graphql
        query Order($id: ID!) { order(id: $id) { id } }
        variables {
          "id": "{{id}}"
        }
        ```
        HTTP 200
        [Asserts]
        jsonpath "$.variables.id" == "7"

        DELETE {{host}}/orders/{{id}}
        HTTP 204
        """

    @Test func `a session sends what Hurl would send`() async throws {
        let folder = TemporaryFolder()
        let polls = SwitchedServer.Counter()
        try await LoopbackServer.run(answer: { request in
            let body = String(decoding: request.body, as: UTF8.self)
            switch (request.method, request.target) {
            case ("GET", "/login"): return Self.response(#"<i name="csrf" value="t-1">"#, type: "text/html")
            case ("POST", "/login"):
                let isRight = body == "user=demo&password=tiger-17&csrf=t-1"
                return Self.text("", ["Location": "/home", "Set-Cookie": "sid=abcdefgh1"], status: isRight ? 302 : 403)
            case ("GET", "/redirect"): return Self.text("", ["Location": "/home"], status: 302)
            case ("GET", "/home"): return Self.json(#"{"cookie": "\#(request.values(named: "Cookie").joined())"}"#)
            case ("POST", "/orders"):
                return Self.json(#"{"id": 7}"#, status: body == #"{"item":"book","count":2}"# ? 201 : 422)
            case ("GET", "/orders/7?expand=a%20b"):
                // The order is not there at once.
                let count = polls.next()
                return count < 3
                    ? Self.json(#"{"error": "wait"}"#, status: count == 1 ? 404 : 200)
                    : Self.json(#"{"id": 7, "state": "done"}"#)
            case ("POST", "/photos"): return Self.text(body)
            case ("POST", "/graphql"): return Self.json(body)
            case ("DELETE", "/orders/7"): return ServerResponse(status: 204)
            default: return Self.text("", status: 404)
            }
        }) { server in
            folder.write(Self.session, to: "session.hurl")
            folder.write("a small cat", to: "cat.txt")
            folder.write("host=\(server.url(""))\nitem=book\ncount=2\n", to: "values.env")
            let imported = try await Command.run(
                CommandCase.program,
                ["import", "session.hurl", "--environment", "values.env", "--strict", "--env-file-out", "s.env"],
                in: folder.path
            )
            #expect(imported.status == 0, "\(imported.errorText)")
            #expect(!imported.outputText.contains("tiger-17"))
            folder.write(imported.outputText, to: "m.yaml")
            let result = try await Command.run(
                CommandCase.program,
                ["run", "m.yaml", "--env-file", "s.env"],
                in: folder.path
            )
            #expect(result.status == 0, "\(imported.outputText)\(result.outputText)\(result.errorText)")
        }
    }
}

/// A server with a response for each path `/c0`, `/c1`, …
private final class SwitchedServer: Sendable {
    /// Counts from one.
    final class Counter: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private let responses: Mutex<[ServerResponse]>
    private let server: Mutex<LoopbackServer?> = Mutex(nil)

    init(_ responses: [ServerResponse]) throws {
        self.responses = Mutex(responses)
        let server = try LoopbackServer { [self] (request: ReceivedRequest) in
            let index = Int(request.target.dropFirst(2)) ?? 0
            return self.responses.withLock { $0[index] }
        }
        self.server.withLock { $0 = server }
    }

    var url: String { server.withLock { $0?.url("") ?? "" } }

    func set(_ responses: [ServerResponse]) { self.responses.withLock { $0 = responses } }

    func stop() { server.withLock { $0 }?.stop() }
}
