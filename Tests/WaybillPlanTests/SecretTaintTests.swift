import Testing
import WaybillDiagnostics
import WaybillPlan

@Suite(.timeLimit(.minutes(5))) struct SecretTaintTests {
    /// The diagnostics for a manifest with one service and one secret.
    private func diagnostics(_ rest: String) throws -> [Diagnostic] {
        let text = """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            secrets: {key: {env: KEY}}
            \(rest)
            """
        return try PlanFixture.plan(text).diagnostics
    }

    @Test(arguments: [
        ("token", true), ("accessToken", true), ("ACCESS_TOKEN", true), ("refresh-token", true), ("secret", true),
        ("clientSecret", true), ("password", true), ("apiKey", true), ("api_key", true), ("privateKey", true),
        ("nextPageToken", false), ("next_token", false), ("tokenType", false), ("tokens", false), ("key", false),
        ("secretary", false), ("id", false), ("passwordHint", false),
    ])
    func `an unmarked output with the name of a credential is reported`(name: String, isCredential: Bool) throws {
        for rest in [
            "graphs: {main: {chain: [{id: a, get: /a, outputs: {\(name): $.x}}]}}",
            "endpoints: {e: {path: /a, outputs: {\(name): $.x}}}\ngraphs: {main: {chain: [{call: e}]}}",
            "graphs: {main: {chain: [{id: a, get: /a, outputs: {x: $.x}}], outputs: {\(name): steps.a.outputs.x}}}",
            "graphs: {main: {chain: [{id: a, values: {\(name): uuid()}}]}}",
        ] {
            let ids = try diagnostics(rest).map(\.id.name).filter { $0 != "unused-definition" }
            #expect(ids == (isCredential ? ["unmarked-credential"] : []), "\(rest)")
        }
    }

    @Test(arguments: [
        "{value: $.token, secret: true}", "{value: $.token, secret: false}", "exists($.token)", "length($.token)",
    ])
    func `an output that is marked or not a string is not reported as an unmarked credential`(output: String) throws {
        let found = try diagnostics("graphs: {main: {chain: [{get: /a, outputs: {token: \(output)}}]}}")
        #expect(!found.contains { $0.id.name == "unmarked-credential" })
    }

    @Test(
        arguments: [
            ("in an output", ["secret-exposed"], "{get: /a, outputs: {x: secrets.key}}"),
            ("in one that is marked", [], "{get: /a, outputs: {x: {value: secrets.key, secret: true}}}"),
            ("in a value", ["secret-exposed"], "{id: v, values: {x: secrets.key}}"),
            ("in records", ["secret-exposed"], "{get: /a, write: {to: a.json, records: \"concat('a', secrets.key)\"}}"),
            ("in a column", ["secret-exposed"], "{get: /a, write: {to: a.csv, columns: [{x: secrets.key}]}}"),
            ("in a file's name", ["secret-exposed"], "{get: /a, write: {to: \"${secrets.key}.json\"}}"),
            ("in the name of a download", ["secret-exposed"], "{get: /a, download: {to: \"${secrets.key}\"}}"),
            ("in the name of a body", ["secret-exposed"], "{post: /a, body: {file: \"${secrets.key}\"}}"),
            ("in a key", ["secret-exposed"], "{get: /a, duplicates: {mode: share, key: secrets.key}}"),
            ("in data", ["secret-exposed"], "{get: /a, filters: [{set: {x: secrets.key}}]}"),
            ("in a path", ["secret-in-url"], "{get: \"/${secrets.key}\"}"),
            ("in the query", ["secret-in-url"], "{get: /a, query: {x: \"${secrets.key}\"}}"),
            ("in parameters of a GET", ["secret-in-url"], "{get: /a, params: {x: \"${secrets.key}\"}}"),
            ("in those of a POST", [], "{post: /a, params: {x: \"${secrets.key}\"}}"),
            (
                "in a key for the query", [],
                "{get: /a, auth: {apiKey: {in: query, name: k, value: \"${secrets.key}\"}}}"
            ),
            ("in a header field", [], "{get: /a, headers: {X-Key: \"${secrets.key}\"}}"),
            ("in a message", [], "{get: /a, intercept: {afterSuccess: [{log: \"${secrets.key}\"}]}}"),
            ("by its digest", [], "{get: \"/${sha256(secrets.key)}\", outputs: {x: \"hmac(secrets.key, 'a')\"}}"),
            ("by its length", [], "{get: /a, outputs: {x: length(secrets.key)}}"),
            ("in a condition", [], "{get: /a, when: secrets.key != '', outputs: {x: secrets.key == 'a'}}"),
            ("in a filter of a path", [], "{get: /a, outputs: {x: \"$.a[?@.id == secrets.key].name\"}}"),
            ("by default", ["secret-exposed"], "{get: /a, outputs: {x: \"default($.a, secrets.key)\"}}"),
            (
                "in what was sent", ["secret-exposed"],
                "{post: /a, params: {x: \"${secrets.key}\"}, outputs: {x: request.body}}"
            ),
            ("beside what was sent", [], "{post: /a, params: {x: \"${secrets.key}\"}, outputs: {x: request.url}}"),
            ("in an element", ["secret-in-url"], "{forEach: {in: [a, \"${secrets.key}\"], as: e}, get: \"/${e}\"}"),
            ("in no element", [], "{forEach: {in: [a, b], as: e}, get: \"/${e}\", params: {}}"),
            (
                "in a variable", ["secret-exposed"],
                "{get: /a, vars: {v: \"${secrets.key}\", w: \"${vars.v}\"}, outputs: {x: vars.w}}"
            ),
        ] as [(String, [String], String)]
    )
    func `a secret is only allowed where it is neither written nor shown`(what: String, ids: [String], step: String)
        throws
    {
        let found = try diagnostics("graphs: {main: {chain: [\(step)]}}").filter { $0.id.name.hasPrefix("secret") }
        #expect(found.map(\.id.name) == ids, "\(what): \(HumanRenderer().render(found))")
    }

    private static let login = "login: {method: POST, path: /login, outputs: {token: {value: $.t, secret: true}}}"

    @Test(
        arguments: [
            ("an output that is marked", "{call: login}, {get: \"/${steps.login.outputs.token}\"}"),
            (
                "all outputs of a step",
                "{call: login}, {post: /a, vars: {a: \"${steps.login.outputs}\"}, query: {q: \"${vars.a.token}\"}}"
            ),
            ("an input of an endpoint", "{call: show, with: {id: \"${secrets.key}\"}}"),
            ("an input of a graph", "{graph: inner, with: {id: \"${secrets.key}\"}}"),
            (
                "outputs of elements",
                "{id: each, call: login, forEach: {in: [1], as: e}}, {get: \"/${steps.each.items[*].outputs.token}\"}"
            ),
            (
                "elements that are secrets",
                "{id: each, post: /a, forEach: {in: [\"${secrets.key}\"], as: e}}, {get: \"/${steps.each.items[0].item}\"}"
            ),
        ]
    )
    func `a secret is tracked through outputs, inputs and elements`(what: String, chain: String) throws {
        let found = try diagnostics(
            """
            endpoints:
              \(Self.login)
              show: {path: "/${inputs.id}", inputs: {id: string}}
            graphs:
              main: {chain: [\(chain)]}
              inner: {inputs: {id: string}, chain: [{call: show, with: {id: "${inputs.id}"}}]}
            """
        )
        .filter { $0.id.name.hasPrefix("secret") }
        #expect(found.map(\.id.name) == ["secret-in-url"], "\(what): \(HumanRenderer().render(found))")
    }

    /// A step, and an inner graph that passes its input on.
    private static let late = (
        step: "{id: s, get: /a, outputs: {p: $.p, token: {value: $.t, secret: true}}}",
        inner: "inner: {inputs: {t: string}, chain: [{get: /b}], outputs: {q: {value: inputs.t, secret: true}}}"
    )

    @Test(
        arguments: [
            ("steps.s.data.t", true), ("steps.s.headers.X", true), ("steps.s.outputs.p", true), ("steps.s.data", true),
            ("default(steps.s.data.t, '')", true), ("trim(steps.s.data.t)", true), ("first(steps.s.data.l)", true),
            ("if(exists(steps.s.data.x), steps.s.data.t, '')", true), ("concat('a', steps.s.data.t)", true),
            ("get(steps.s.data, 't')", true), ("default(steps.s.data.t, secrets.key)", true),
            ("concat(default(steps.s.data.t, secrets.key), 'a')", true),
            ("concat(steps.s.data.t, string(secrets.key == 'a'))", true),
            ("hmac(secrets.key, steps.s.data.id)", false), ("sha256(steps.s.data.t)", false),
            ("base64(concat(steps.s.data.id, ':', secrets.key))", false),
            ("concat(concat(steps.s.data.user, ':'), default(steps.s.outputs.token, ''))", false),
            ("if(exists(steps.s.data.x), steps.s.outputs.token, '')", false), ("length(steps.s.data)", false),
            ("steps.s.status", false),
        ]
    )
    func `results of a step that are not secret cannot become it later`(value: String, isLate: Bool) throws {
        let found = try diagnostics(
            "graphs: {main: {chain: [\(Self.late.step)], outputs: {x: {value: \"\(value)\", secret: true}}}}"
        )
        #expect(found.map(\.id.name).contains("secret-exposed") == isLate, "\(HumanRenderer().render(found))")
    }

    @Test(
        arguments: [
            ("{get: /b, outputs: {x: {value: steps.s.data.t, secret: true}}}", 0),
            ("{get: /b, vars: {v: \"${steps.s.data.t}\"}, outputs: {x: {value: vars.v, secret: true}}}", 1),
            ("{get: /b, forEach: {in: steps.s.data, as: e}, outputs: {x: {value: e.t, secret: true}}}", 1),
            ("{graph: inner, with: {t: \"${steps.s.data.t}\"}}", 1),
            ("{graph: inner, with: {t: \"${secrets.key}\"}}", nil),
            ("{get: /b, outputs: {x: {value: \"concat(steps.s.data.user, $.t)\", secret: true}}}", nil),
        ] as [(String, Int?)]
    )
    func `results of a step are followed to secret outputs`(step: String, locations: Int?) throws {
        let found = try diagnostics("graphs: {main: {chain: [\(Self.late.step), \(step)]}, \(Self.late.inner)}")
            .filter { $0.id.name == "secret-exposed" }
        #expect(found.first?.secondary.count == locations, "\(HumanRenderer().render(found))")
    }

    @Test func `the value of a session is a secret if the output is marked as one`() throws {
        let text = """
            services: {s: {baseURL: "http://127.0.0.1:1", session: {call: login}}}
            endpoints:
              login: {method: POST, path: /login, outputs: {token: {value: $.t, secret: true}, user: $.u}}
            graphs: {main: {chain: [{get: "/${session.token}"}, {get: "/${session.user}"}]}}
            """
        let found = try PlanFixture.plan(text).diagnostics
        #expect(found.map(\.id.name) == ["secret-in-url"])
        #expect(found.first?.secondary.map(\.text) == ["marked as a secret here"])
    }

    @Test func `the diagnostic shows the path that a secret took`() throws {
        let found = try diagnostics(
            """
            endpoints:
              show: {path: "/${inputs.id}", inputs: {id: string}}
            graphs:
              main: {chain: [{graph: inner, with: {name: "${secrets.key}"}}]}
              inner: {inputs: {name: string}, chain: [{call: show, with: {id: "${inputs.name}"}}]}
            """
        )
        #expect(found.map(\.id.name) == ["secret-in-url"])
        #expect(found.first?.secondary.map(\.text) == ["given here", "given here", "this is a secret"])
    }
}
