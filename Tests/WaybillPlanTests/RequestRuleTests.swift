import Testing
import WaybillDiagnostics
import WaybillPlan

@Suite(.timeLimit(.minutes(5))) struct RequestRuleTests {
    private func diagnostics(_ rest: String) throws -> [Diagnostic] {
        try PlanFixture.plan("services: {s: {baseURL: \"http://127.0.0.1:1\"}}\n\(rest)").diagnostics
            .filter { $0.id.name != "unused-definition" }
    }

    private func check(_ what: String, _ ids: [String], chain: String) throws {
        let found = try diagnostics("graphs: {main: {chain: [\(chain)]}}")
        #expect(found.map(\.id.name) == ids, "\(what): \(HumanRenderer().render(found))")
    }

    @Test func `a mark beside the outputs that it is meant for is an error`() throws {
        let mark = ["misplaced-key"]
        try check("of a request", mark, chain: "{id: a, get: /a, outputs: {total: $.total, secret: true}}")
        try check("of values", mark, chain: "{id: a, values: {total: 1, secret: false}}")
        try check("an output", [], chain: "{id: a, get: /a, outputs: {secret: {value: true, secret: false}}}")
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
            ("a redirect that is followed", 1, "{get: /a, expect: {status: 302}}"),
            ("a class of them", 1, "{get: /a, expect: {status: 3xx}}"),
            ("a redirect that is not followed", 0, "{get: /a, redirects: false, expect: {status: [301, 302]}}"),
            ("one of several statuses", 0, "{get: /a, expect: {status: [200, 302]}}"),
            ("a status that is not modified", 0, "{get: /a, expect: {status: 304}}"),
            ("a status before the response", 1, "{get: /a, expect: {status: [100, 200]}}"),
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
    func `the expected status must be consistent with other expectations`(what: String, count: Int, step: String) throws
    {
        try check(what, Array(repeating: "status-contradiction", count: count), chain: step)
    }

    @Test(
        arguments: [
            ("no verification", ["verification-off"], "{get: /a, tls: {verify: false}}"),
            ("no verification of names", ["verification-off"], "{get: /a, tls: {verifyHost: false}}"),
            (
                "no verification of certificates, but of keys", [],
                "{get: \"https://s/a\", tls: {verify: false, pins: [\"sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\"]}}"
            ),
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
            (
                "pages of items that may not have a member", ["pagination-clash"],
                "{get: /a, paginate: {page: {query: p}, items: \"$.hits[*].source\"}}"
            ),
            (
                "pages of those until a page is empty", [],
                "{get: /a, paginate: {page: {query: p}, items: \"$.hits[*].source\", while: length($.hits) > 0}}"
            ),
            ("pages of a part", ["pagination-clash"], "{get: /a, paginate: {page: {query: p}, items: \"$.l[1:]\"}}"),
            ("pages of all items", [], "{get: /a, paginate: {page: {query: p}, items: \"$.l[:]\"}}"),
            (
                "pages of items that may be missing", [],
                "{get: /a, paginate: {page: {query: p}, items: \"if(exists($.l), $.l, default($.m, list()))\"}}"
            ),
            (
                "pages of items under a condition", ["pagination-clash"],
                "{get: /a, paginate: {page: {query: p}, items: \"if($.n == 1, $.l, list())\"}}"
            ),
            ("a page beside another parameter", [], "{get: /a, query: {q: 1}, paginate: {page: {query: p}}}"),
            ("a page in an input of no endpoint", ["unknown-input"], "{get: /a, paginate: {page: {input: p}}}"),
            ("a page and a body", [], "{post: /a, params: {p: 1}, paginate: {page: {query: p}}}"),
            ("a stream and a download", ["stream-clash"], "{get: /a, stream: {max: 1}, download: {to: a}}"),
            ("a stream of HEAD", ["stream-clash"], "{head: /a, stream: {max: 1}}"),
            ("a stream of pages", ["stream-clash"], "{get: /a, stream: {max: 1}, paginate: {link: true}}"),
            ("a stream that is polled", ["stream-clash"], "{get: /a, stream: {max: 1}, until: {that: $.a}}"),
            ("a stream of JSON", ["stream-clash"], "{get: /a, stream: {max: 1}, decoding: json}"),
            ("a stream of lines", [], "{get: /a, stream: {max: 1}, decoding: ndjson}"),
            ("a stream that is shared", ["stream-clash"], "{get: /a, stream: {max: 1}, duplicates: share}"),
            ("a stream that is too short", ["stream-clash"], "{get: /a, stream: {for: 1m}, timeout: 60s}"),
            ("a stream that is long enough", [], "{get: /a, stream: {for: 1m}, timeout: 61s}"),
            ("a stream until what is always true", ["same-for-all"], "{get: /a, stream: {until: 1 < 2}}"),
            (
                "a stream whose events are sorted", ["stream-clash"],
                "{get: /a, stream: {max: 1}, filters: [sort: {by: item.a}], write: {to: a.csv}}"
            ),
            (
                "a stream whose events are compared with others", ["stream-clash"],
                "{get: /a, stream: {max: 1}, filters: [{where: \"item.a == $[0].a\"}], write: {to: a.csv}}"
            ),
            ("events that are sorted", [], "{get: /a, stream: {max: 1}, filters: [sort: {by: item.a}]}"),
            (
                "events that are selected", [],
                "{get: /a, stream: {max: 1}, filters: [where: item.a > 1, pick: [a]], write: {to: a.csv}}"
            ),
            (
                "unfinished downloads elsewhere", ["outside-folder"],
                "{get: /a, download: {}, downloads: {unfinished: ../a}}"
            ),
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
            (
                "a download and a schema", ["download-has-no-data"],
                "{get: /a, download: {to: a}, expect: {schema: {type: object}}}"
            ),
            (
                "a download and pages", ["download-has-no-data"],
                "{get: /a, download: {to: a/}, paginate: {page: {query: page}}}"
            ),
            ("a download and a status", [], "{get: /a, download: {to: a}, expect: {status: 200}}"),
        ] as [(String, [String], String)]
    )
    func `settings of a request that conflict are reported`(what: String, ids: [String], step: String) throws {
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
                "a response of a chain", ["unknown-name"],
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
    func `steps and keys are only allowed where they have an effect`(what: String, ids: [String], chain: String) throws
    {
        try check(what, ids, chain: chain)
    }

    @Test func `an end in finally is reported because it has no chain to end`() throws {
        let found = try diagnostics("graphs: {main: {chain: [{get: /a}], finally: [{end: run.id == ''}]}}")
        #expect(found.map(\.id.name) == ["misplaced-end"])
    }

    @Test func `an input inherits its value from an input of the same type`() throws {
        func ids(_ type: String) throws -> [String] {
            try diagnostics(
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
    func `the request that starts a session cannot use that session`(
        what: String,
        ids: [String],
        endpoint: String,
        service: String
    ) throws {
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

    @Test func `sessions cannot wait for each other`() throws {
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
        #expect(found.map(\.headline) == ["this session requires itself: a → b → a"])
    }

    @Test(
        arguments: [
            ("a service without a session", ["unknown-name"], "{call: h, service: b}"),
            ("a session without the output", ["unknown-session-value"], "{call: h, service: c}"),
            ("a session that has it", [], "{call: h, service: d}"),
            ("its own service", [], "{call: h}"),
            ("a default for what is not there", [], "{call: g, service: b}"),
            (
                "a step's own use of its service", ["unknown-name"],
                "{call: plain, service: b, headers: {X: \"${session.token}\"}}"
            ),
            ("a named filter's use", ["unknown-name"], "{get: /a, service: b, filters: [marked]}"),
        ] as [(String, [String], String)]
    )
    func `a session belongs to the service that receives the request`(what: String, ids: [String], step: String)
        throws
    {
        let found = try PlanFixture.plan(
            """
            services:
              a: {baseURL: "http://127.0.0.1:1", session: {call: login}}
              b: {baseURL: "http://127.0.0.1:1"}
              c: {baseURL: "http://127.0.0.1:1", session: {call: other}}
              d: {baseURL: "http://127.0.0.1:1", session: {call: login}}
            filters: {marked: [{map: "${session.token}"}]}
            endpoints:
              login: {service: a, path: /login, outputs: {token: {value: $.token, secret: false}}}
              other: {service: c, path: /login, outputs: {key: {value: $.key, secret: false}}}
              h: {service: a, path: /h, headers: {X: "${session.token}"}}
              g: {service: a, path: /g, headers: {X: "${default(session.token, '')}"}}
              plain: {service: a, path: /p}
            graphs: {main: {chain: [\(step)]}}
            """
        ).diagnostics.filter { $0.id != "unused-definition" }
        #expect(found.map(\.id.name) == ids, "\(what): \(HumanRenderer().render(found))")
    }

    @Test(
        arguments: [
            (
                "of a graph", ["unknown-name"],
                #"{main: {headers: {X: "${session.token}"}, chain: [{get: /a, service: b}]}}"#
            ),
            (
                "of a graph, for its service", [],
                #"{main: {headers: {X: "${session.token}"}, chain: [{get: /a, service: a}]}}"#
            ),
            (
                "of a chain", ["unknown-name"],
                #"{main: {chain: [{headers: {X: "${session.token}"}, chain: [{get: /a, service: b}]}]}}"#
            ),
            (
                "of a chain, replaced", [],
                #"{main: {chain: [{headers: {X: "${session.token}"}, chain: [{get: /a, service: b, headers: {X: a}}]}]}}"#
            ),
        ]
    )
    func `a setting that uses a session is checked for each request that inherits it`(
        what: String,
        ids: [String],
        graphs: String
    ) throws {
        let found = try PlanFixture.plan(
            """
            services:
              a: {baseURL: "http://127.0.0.1:1", session: {call: login}}
              b: {baseURL: "http://127.0.0.1:1"}
            endpoints: {login: {service: a, path: /login, outputs: {token: {value: $.token, secret: false}}}}
            graphs: \(graphs)
            """
        ).diagnostics.filter { $0.id != "unused-definition" }
        #expect(found.map(\.id.name) == ids, "\(what): \(HumanRenderer().render(found))")
    }

    @Test(
        arguments: [
            (
                "another length", ["framing-header"], [.error],
                "{post: /a, body: {text: abc}, headers: {Content-Length: 5}}"
            ),
            ("no body", ["framing-header"], [.error], "{get: /a, headers: {content-length: 5}}"),
            (
                "the length", ["framing-header"], [.warning],
                "{post: /a, body: {text: abc}, headers: {Content-Length: 3}}"
            ),
            (
                "a length that is not known", ["framing-header"], [.warning],
                "{post: /a, body: {json: {}}, headers: {Content-Length: 3}}"
            ),
            ("a length that is taken away", [], [], "{post: /a, headers: {Content-Length: null}}"),
            ("a coding", ["framing-header"], [.error], "{post: /a, headers: {Transfer-Encoding: chunked}}"),
            ("a line break", ["invalid-header-value"], [.error], #"{get: /a, headers: {X: "a\r\nb"}}"#),
            ("a NUL beside a template", ["invalid-header-value"], [.error], #"{get: /a, headers: {X: "${run.id}\0"}}"#),
            ("a line break in a token", ["invalid-header-value"], [.error], #"{get: /a, auth: {bearer: "a\nb"}}"#),
            (
                "a line break in a part", ["invalid-header-value"], [.error],
                #"{post: /a, body: {multipart: [{name: a, text: b, headers: {X: "a\nb"}}]}}"#
            ),
            ("two hosts", ["invalid-header-value"], [.error], "{get: /a, headers: {Host: [a, b]}}"),
            ("two hosts in two cases", ["invalid-header-value"], [.error], "{get: /a, headers: {Host: a, host: b}}"),
            ("a host or none", [], [], #"{get: /a, headers: {Host: [a, "${default(null, null)}"]}}"#),
            ("two languages", [], [], "{get: /a, headers: {Accept-Language: [en, fr]}}"),
            ("a tab", [], [], #"{get: /a, headers: {X: "a\tb"}}"#),
        ] as [(String, [String], [Diagnostic.Severity], String)]
    )
    func `header fields that cannot be sent are reported`(
        what: String,
        ids: [String],
        severities: [Diagnostic.Severity],
        step: String
    ) throws {
        let found = try diagnostics("graphs: {main: {chain: [\(step)]}}")
        #expect(found.map(\.id.name) == ids, "\(what): \(HumanRenderer().render(found))")
        #expect(found.map(\.severity) == severities, "\(what)")
    }

    @Test(
        arguments: [
            ("a default", 1, "{get: \"/a${inputs.p}\"}"),
            ("a default by its full name", 1, "{get: \"/a/${manifest.inputs.p}\"}"),
            ("a variable", 1, "{request: {path: \"/a/${vars.v}\", vars: {v: b/c}}}"),
            ("an element", 1, "{forEach: {in: [b, c/d], as: n}, get: \"/a/${n}\"}"),
            ("a URL", 0, "{forEach: {in: [\"http://127.0.0.1:1/\"], as: n}, get: \"${n}\"}"),
            ("an element without a slash", 0, "{forEach: {in: [b, c], as: n}, get: \"/a/${n}\"}"),
            ("in the query", 0, "{get: \"/a?x=${inputs.p}\"}"), ("raw", 0, "{get: \"/a${raw(inputs.p)}\"}"),
        ]
    )
    func `a slash in the value of a path segment is reported if the value is known`(
        what: String,
        count: Int,
        step: String
    ) throws {
        let found = try diagnostics("inputs: {p: {type: string, default: /b}}\ngraphs: {main: {chain: [\(step)]}}")
        #expect(
            found.map(\.id.name) == Array(repeating: "encoded-slash", count: count),
            "\(what): \(HumanRenderer().render(found))"
        )
        #expect(found.allSatisfy { $0.help.first?.contains("raw(") == true })
    }
}
