import Testing
import WaybillDiagnostics
import WaybillPlan

@Suite struct RequestRuleTests {
    private func findings(_ rest: String) throws -> [Diagnostic] {
        try PlanFixture.plan("services: {s: {baseURL: \"http://127.0.0.1:1\"}}\n\(rest)").diagnostics
            .filter { $0.id.name != "unused-definition" }
    }

    private func check(_ what: String, _ ids: [String], chain: String) throws {
        let found = try findings("graphs: {main: {chain: [\(chain)]}}").filter { $0.id != "not-supported" }
        #expect(found.map(\.id.name) == ids, "\(what): \(HumanRenderer().render(found))")
    }

    @Test func `a parameter that two levels send is reported once for all requests`() throws {
        let found = try PlanFixture.plan(
            """
            defaults: {params: {device: d-0}}
            services: {s: {baseURL: "http://127.0.0.1:1", params: {device: d-1}}}
            endpoints: {a: {path: /a}, b: {path: /b}}
            graphs: {main: {chain: [{call: a}, {call: b}, {call: a, id: c, timeout: 1s}, {get: /d}]}}
            """
        ).diagnostics
        #expect(found.map(\.id.name) == ["parameter-clash"])
    }

    @Test(
        arguments: [
            ("a download of an endpoint", 1, "endpoints: {a: {path: /a, download: {to: a/}}}", "{call: a}"),
            ("a download of a request", 1, "", "{request: {path: /a, download: {to: a/}}}"),
            (
                "what is not called too", 2, "endpoints: {a: {path: /a, download: {to: a/}, cache: default}}",
                "{get: /a}"
            ),
            ("the cache of a step", 1, "", "{get: /a, cache: reload}"),
            ("the cache of all requests, once", 1, "defaults: {cache: force-cache}", "{get: /a}, {get: /b}"),
            ("no cache", 0, "defaults: {cache: no-store}", "{get: /a}"),
        ] as [(String, Int, String, String)]
    )
    func `validate warns about what cannot be run`(what: String, count: Int, rest: String, chain: String) throws {
        let found = try findings("\(rest)\ngraphs: {main: {chain: [\(chain)]}}")
        #expect(found.map(\.id.name) == Array(repeating: "not-supported", count: count), "\(what)")
        #expect(found.allSatisfy { $0.severity == .warning && $0.primary != nil })
    }

    @Test(
        arguments: [
            ("a redirect that is followed", 1, "{get: /a, expect: {status: 302}}"),
            ("a class of them", 1, "{get: /a, expect: {status: 3xx}}"),
            ("a redirect that is not followed", 0, "{get: /a, redirects: false, expect: {status: [301, 302]}}"),
            ("one of several statuses", 0, "{get: /a, expect: {status: [200, 302]}}"),
            ("a status that is not modified", 0, "{get: /a, expect: {status: 304}}"),
            ("a status before the answer", 1, "{get: /a, expect: {status: [100, 200]}}"),
            ("no content and a value", 1, "{get: /a, expect: {status: 204, json: {a: 1}}}"),
            ("no content and a condition", 1, "{get: /a, expect: {status: [204, 304], body: [$.a == 1]}}"),
            (
                "no content and a condition on something else", 0,
                "{get: /a, expect: {status: 204, body: [response.time < 1]}}"
            ),
            (
                "no content and a condition that takes that", 0,
                "{get: /a, expect: {status: 204, body: [\"default($.a, 1) == 1\"]}}"
            ),
            ("no content and outputs", 1, "{get: /a, expect: {status: 204}, outputs: {x: $.a}}"),
            (
                "no content and outputs of header fields", 0,
                "{get: /a, expect: {status: 204}, outputs: {x: response.headers.etag}}"
            ),
            ("content or none", 0, "{get: /a, expect: {status: [200, 204]}, outputs: {x: $.a}}"),
            ("a head and its body", 1, "{head: /a, expect: {schema: {type: object}}}"),
            ("a head and its header fields", 0, "{head: /a, expect: {headers: {ETag: \"*\"}}}"),
            ("outputs of a refusal", 1, "{get: /a, expect: {status: 404}, outputs: {x: $.a}}"),
            ("filters of a refusal", 1, "{get: /a, expect: {status: 404}, filters: [{select: $.a}]}"),
            ("what a refusal returns", 1, "{get: /a, expect: {status: 4xx}, returns: {object: {type: object}}}"),
            ("outputs of a refusal or not", 0, "{get: /a, expect: {status: [200, 404]}, outputs: {x: $.a}}"),
        ] as [(String, Int, String)]
    )
    func `a status goes with what else is expected`(what: String, count: Int, step: String) throws {
        try check(what, Array(repeating: "status-contradiction", count: count), chain: step)
    }

    @Test(
        arguments: [
            ("no verification", ["verification-off"], "{get: /a, tls: {verify: false}}"),
            ("no verification of names", ["verification-off"], "{get: /a, tls: {verifyHost: false}}"),
            ("verification", [], "{get: /a, tls: {verify: true, verifyHost: null}}"),
            (
                "a token over plain http", ["readable-credentials"],
                "{get: /a, auth: {oauth2: {grant: refresh_token, refreshToken: r, tokenURL: \"http://login.example.com/token\"}}}"
            ),
            (
                "a token of a host that begins like this one", ["readable-credentials"],
                "{get: /a, auth: {oauth2: {grant: refresh_token, refreshToken: r, tokenURL: \"http://localhost.example.com/token\"}}}"
            ),
            (
                "a token over TLS", [],
                "{get: /a, auth: {oauth2: {grant: refresh_token, refreshToken: r, tokenURL: \"https://login.example.com/token\"}}}"
            ),
            (
                "a token of this machine", [],
                "{get: /a, auth: {oauth2: {grant: refresh_token, refreshToken: r, tokenURL: \"http://127.0.0.1:8080/token\"}}}"
            ),
            (
                "a token of this machine by its name", [],
                "{get: /a, auth: {oauth2: {grant: refresh_token, refreshToken: r, tokenURL: \"http://localhost/token\"}}}"
            ),
            (
                "a token of a place that is not known yet", [],
                "{get: /a, auth: {oauth2: {grant: refresh_token, refreshToken: r, tokenURL: \"http://${'h'}/token\"}}}"
            ),
            (
                "a POST that is not sent again", ["retry-without-effect"],
                "{post: /a, retry: {times: 2, for: [503, timeout]}}"
            ),
            ("a POST that is sent again by permission", [], "{post: /a, retry: {times: 2, for: [503], unsafe: true}}"),
            ("a POST that was not sent", [], "{post: /a, retry: {times: 2, for: [503, connect]}}"),
            ("a POST for what is usual", [], "{post: /a, retry: {times: 2}}"),
            ("a PUT", [], "{put: /a, retry: {times: 2, for: [503]}}"),
            ("a retry of all", [], "{retry: {times: 2, for: [503]}, chain: [{post: /a}]}"),
            (
                "a page in the query twice", ["pagination-clash"],
                "{get: /a, query: {p: 1}, paginate: {page: {query: p}}}"
            ),
            (
                "a page in the query and among parameters", ["pagination-clash"],
                "{get: /a, params: {p: 1}, paginate: {page: {query: p}}}"
            ),
            ("a page beside another parameter", [], "{get: /a, query: {q: 1}, paginate: {page: {query: p}}}"),
            ("a page in an input of no endpoint", ["unknown-input"], "{get: /a, paginate: {page: {input: p}}}"),
            ("a page and a body", [], "{post: /a, params: {p: 1}, paginate: {page: {query: p}}}"),
            ("a download and outputs", ["download-has-no-data"], "{get: /a, download: {to: a}, outputs: {x: $.a}}"),
            (
                "a download and outputs of header fields", [],
                "{get: /a, download: {to: a}, outputs: {x: response.status}}"
            ),
            (
                "a download and filters", ["download-has-no-data"],
                "{get: /a, download: {to: a}, filters: [{select: $.a}]}"
            ),
            ("a download and records", ["download-has-no-data"], "{get: /a, download: {to: a}, write: {to: b.json}}"),
            ("a download and a schema", ["download-has-no-data"], "{get: /a, download: {to: a}, expect: {schema: {}}}"),
            ("a download and a status", [], "{get: /a, download: {to: a}, expect: {status: 200}}"),
        ] as [(String, [String], String)]
    )
    func `settings of a request go together`(what: String, ids: [String], step: String) throws {
        try check(what, ids, chain: step)
    }

    @Test(
        arguments: [
            ("an end in a chain", [], "{get: /a}, {end: run.id == ''}"),
            ("an end in a batch", ["misplaced-end"], "{batch: [{end: run.id == ''}]}"),
            ("an end in a chain in a batch", [], "{batch: [{chain: [{get: /a}, {end: run.id == ''}]}]}"),
            ("a limit of a chain", ["misplaced-key"], "{concurrency: 2, chain: [{get: /a}]}"),
            ("a limit of a batch", [], "{concurrency: 2, batch: [{get: /a}]}"),
            ("a limit of one request", ["misplaced-key"], "{concurrency: 2, get: /a}"),
            (
                "a limit beside its elements", ["misplaced-key"],
                "{concurrency: 2, get: /a, forEach: {in: [1], as: e}}"
            ),
            ("a limit of elements", [], "{get: /a, forEach: {in: [1], as: e, concurrency: 2}}"),
            ("data of a request", [], "{get: /a, until: {that: $.a == 1}}"),
            ("data of a chain", ["unknown-name"], "{chain: [{get: /a}], until: {that: $.a == 1}}"),
            (
                "an answer of a chain", ["unknown-name"],
                "{chain: [{get: /a}], until: {that: run.id == 'a', fail: response.status == 1}}"
            ),
            ("data of the requests in a chain", [], "{expect: {body: [$.a == 1]}, chain: [{get: /a}]}"),
            (
                "an element like another", ["shadowed-name"],
                "{forEach: {in: [1], as: e}, chain: [{get: /a, forEach: {in: [1], as: e}}]}"
            ),
            (
                "an element like an earlier one", [],
                "{get: /a, forEach: {in: [1], as: e}}, {get: /a, forEach: {in: [1], as: e}}"
            ),
        ] as [(String, [String], String)]
    )
    func `steps and their keys stand where they mean something`(what: String, ids: [String], chain: String) throws {
        try check(what, ids, chain: chain)
    }

    @Test func `an end at the end of all ends no chain`() throws {
        let found = try findings("graphs: {main: {chain: [{get: /a}], finally: [{end: run.id == ''}]}}")
        #expect(found.map(\.id.name) == ["misplaced-end"])
    }

    @Test func `an input falls through to one of the same type`() throws {
        func ids(_ type: String) throws -> [String] {
            try findings(
                """
                inputs: {page: {type: integer, default: 1}}
                endpoints: {e: {path: "/${inputs.page}", inputs: {page: \(type)}}}
                graphs: {main: {chain: [{call: e}]}}
                """
            )
            .map(\.id.name)
        }
        #expect(try ids("string") == ["shadowed-input"])
        #expect(try ids("integer") == [])
        #expect(try ids("number") == [])
        #expect(try ids("integer|string") == [])
    }

    @Test(
        arguments: [
            ("a session that is got with itself", ["session-cycle"], "", "auth: {bearer: \"${session.token}\"}"),
            ("one that is got without", [], "auth: none", "auth: {bearer: \"${session.token}\"}"),
            ("header fields from it", ["session-cycle"], "", "headers: {X: \"${session.token}\"}"),
            ("header fields that are taken away", [], "headers: {X: null}", "headers: {X: \"${session.token}\"}"),
            ("an address with it", ["session-cycle"], "query: {t: \"${session.token}\"}", ""),
        ]
    )
    func `a session is got without itself`(what: String, ids: [String], endpoint: String, service: String) throws {
        let found = try PlanFixture.plan(
            """
            services:
              s:
                baseURL: http://127.0.0.1:1
                session: {call: login}
                \(service)
            endpoints:
              login:
                path: /login
                outputs: {token: {value: $.token, secret: false}}
                \(endpoint)
            graphs: {main: {chain: [{get: /a}]}}
            """
        )
        .diagnostics
        #expect(found.map(\.id.name) == ids, "\(what): \(HumanRenderer().render(found))")
    }

    @Test func `sessions do not wait for each other`() throws {
        let found = try PlanFixture.plan(
            """
            services:
              a: {baseURL: "http://127.0.0.1:1", session: {call: fromB}}
              b: {baseURL: "http://127.0.0.1:1", session: {call: fromA}}
            endpoints:
              fromA: {service: a, path: /, headers: {X: "${session.x}"}, outputs: {x: $.x}}
              fromB: {service: b, path: /, headers: {X: "${session.x}"}, outputs: {x: $.x}}
            graphs: {main: {chain: [{get: /a, service: a}]}}
            """
        )
        .diagnostics
        #expect(found.map(\.headline) == ["this session would need itself before it is there: a → b → a"])
    }
}
