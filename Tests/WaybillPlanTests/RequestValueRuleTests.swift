import Testing
import WaybillDiagnostics
import WaybillPlan

/// The rules on filters that are applied to values, on pages that endpoints request, on signatures and on conditions on
/// inputs.
@Suite(.timeLimit(.minutes(5))) struct RequestValueRuleTests {
    private func check(_ what: String, _ messages: [String], _ rest: String) throws {
        let service = "services: {s: {baseURL: \"http://127.0.0.1:1\"}}\n"
        let found = try PlanFixture.plan(service + rest).diagnostics.filter { $0.id.name != "unused-definition" }
        let texts = found.map { "\($0.id.name): \($0.headline)".replacing(/snapshot \/.*\//, with: "snapshot ") }
        #expect(texts == messages, "\(what): \(HumanRenderer().render(found))")
        #expect(found.allSatisfy { $0.primary != nil }, "\(what)")
    }

    private static let applying =
        "graphs: {main: {chain: [{id: a, get: /a}], outputs: {x: \"apply('users', steps.a.data)\"}}}"

    @Test(
        arguments: [
            ("a filter", "filters: {users: [{select: $.rows}, {map: \"${item.id}\"}]}", []),
            ("a filter of inputs and data", "inputs: {n: 3}\nfilters: {users: [{where: item.id < inputs.n}]}", []),
            ("a misspelt name", "filters: {user: [{select: $.rows}]}", ["unknown-filter: no filter is named 'users'"]),
            (
                "a filter of a response", "filters: {users: [inner], inner: [{where: item.id == response.status}]}",
                ["inapplicable-filter: filter 'users' cannot be applied to a value, because it uses 'response'"]
            ),
            (
                "a filter of a secret",
                "secrets: {k: {env: K}}\nfilters: {users: [{where: item.id == secrets.k}]}",
                ["inapplicable-filter: filter 'users' cannot be applied to a value, because it uses 'secrets'"]
            ),
            (
                "a filter that applies itself",
                "filters: {users: [{set: {x: \"apply('other', $)\"}}], other: [{set: {x: \"apply('users', $)\"}}]}",
                ["filter-cycle: this filter contains itself: users → other → users"]
            ),
        ] as [(String, String, [String])]
    )
    func `a filter that is applied to a value exists and needs no response`(
        what: String,
        filters: String,
        messages: [String]
    ) throws {
        let inputs = filters.replacing("{n: 3}", with: "{n: {type: integer, default: 3}}")
        try check(what, messages, inputs + "\n" + Self.applying)
    }

    @Test func `the name of a filter that is applied is written in quotes, and the nesting is limited`() throws {
        try check(
            "a computed name",
            ["expression-syntax: apply() requires the name of a filter"],
            "inputs: {f: string}\ngraphs: {main: {chain: [{id: v, values: {x: \"apply(inputs.f, 1)\"}}]}}"
        )
        let filters = (0..<12).map { "f\($0): [{set: {x: \"apply('f\($0 + 1)', $)\"}}]" } + ["f12: [{limit: 1}]"]
        try check(
            "many levels",
            ["filter-nesting: filters are nested more than 100 levels deep (an apply() counts as 10)"],
            "filters: {\(filters.joined(separator: ", "))}\ndefaults: {filters: [f0]}"
        )
    }

    private static let clash =
        "pagination-clash: each page fills the query parameter 'page', which already has a value"

    @Test(
        arguments: [
            ("pages", "path: /a, paginate: {page: {query: page}}", "{call: a}", []),
            ("its own parameter", "path: /a, query: {page: 1}, paginate: {page: {query: page}}", "{call: a}", [clash]),
            ("that of a call", "path: /a, paginate: {page: {query: page}}", "{call: a, query: {page: 1}}", [clash]),
            (
                "that of a call of one request", "path: /a, paginate: {page: {query: page}}",
                "{call: a, query: {page: 1}, paginate: none}", []
            ),
            (
                "an input that does not exist", "path: /a, inputs: {p: integer}, paginate: {page: {input: page}}",
                "{call: a, with: {p: 1}}", ["unknown-input: no input is named 'page'"]
            ),
            (
                "an input that each page fills",
                "path: /a, inputs: {p: integer}, paginate: {page: {input: p}}, "
                    + "query: {p: \"${inputs.p}\"}", "{call: a}", []
            ),
            (
                "an input that nothing fills",
                "path: /a, inputs: {p: integer}, paginate: {page: {input: p}}, "
                    + "query: {p: \"${inputs.p}\"}", "{call: a, paginate: none}",
                ["missing-input: the call of 'a' requires input 'p'"]
            ),
            (
                "nothing to remove", "path: /a", "{call: a, paginate: none}",
                [
                    "misplaced-key: 'paginate: none' has no effect here: there is no 'paginate' of an endpoint to remove"
                ]
            ),
            (
                "a download", "path: /a, download: {to: a.bin}, paginate: {link: true}", "{call: a}",
                ["download-has-no-data: this needs the body as data, but the body is downloaded to a file"]
            ),
            (
                "a snapshot", "path: /a, paginate: {link: true}, expect: {snapshot: a.json}", "{call: a}",
                [
                    "missing-file: the snapshot a.json does not exist yet",
                    "same-file: the pages would be compared with the same snapshot",
                ]
            ),
            (
                "data that is not kept", "path: /a, paginate: {link: true}",
                "{id: x, call: a, write: {to: a.csv}}, {id: v, values: {y: steps.x.data}}",
                ["data-not-kept: step 'x' does not keep its data, because it writes the records to a file"]
            ),
            (
                "a name that the endpoint does not see", "path: /a, paginate: {next: steps.x.data}", "{id: x, call: a}",
                ["unknown-name: 'steps' is not available here"]
            ),
        ] as [(String, String, String, [String])]
    )
    func `the rules on pages hold for each call of an endpoint`(
        what: String,
        endpoint: String,
        chain: String,
        messages: [String]
    ) throws {
        try check(what, messages, "endpoints: {a: {\(endpoint)}}\ngraphs: {main: {chain: [\(chain)]}}")
    }

    @Test func `a session is the response of one request`() throws {
        let found = try PlanFixture.plan(
            """
            services: {s: {baseURL: "http://127.0.0.1:1", session: {call: login}}}
            endpoints: {login: {path: /login, paginate: {link: true}, outputs: {t: $.t}}}
            graphs: {main: {chain: [{get: /a, headers: {X: "${session.t}"}}]}}
            """
        ).diagnostics
        #expect(found.map(\.id.name) == ["pagination-clash"])
    }

    private static let later =
        "parameter-order: 'request.params' does not have 'sign' yet: parameters that read 'request' are evaluated in order"

    @Test(
        arguments: [
            ("the others", "get: /a, params: {sign: \"${md5(request.params.a)}\", a: 1}", []),
            ("an earlier one", "get: /a, params: {sign: \"${request.query}\", b: \"${request.params.sign}\"}", []),
            ("itself", "get: /a, params: {sign: \"${request.params.sign}\"}", [later]),
            (
                "a later one", "get: /a, query: {b: \"${request.params.sign}\"}, params: {sign: \"${request.query}\"}",
                [later]
            ),
            (
                "one that does not exist", "get: /a, params: {a: 1}, headers: {X: \"${request.params.b}\"}",
                ["unknown-name: 'b' is not defined here"]
            ),
            (
                "the body that it is in", "post: /a, params: {sign: \"${md5(request.body)}\"}",
                [
                    "parameter-order: the parameter becomes a part of 'request.body', so it cannot read it"
                ]
            ),
            ("another body", "post: /a, query: {sign: \"${md5(request.body)}\"}, body: {json: {a: 1}}", []),
            (
                "in a body", "post: /a, body: {json: {a: \"${request.query}\"}}",
                ["unknown-name: 'request' is not available here"]
            ),
        ] as [(String, String, [String])]
    )
    func `a signature reads only what is evaluated before it`(what: String, step: String, messages: [String]) throws {
        try check(what, messages, "graphs: {main: {chain: [{\(step)}]}}")
    }

    private static let empty =
        "violated-check: the inputs of endpoint 'a' are not accepted: the range is empty: 'inputs.from < inputs.to' is "
        + "false: inputs.from is 2, inputs.to is 1"

    @Test(
        arguments: [
            ("constants", "{call: a, with: {from: 1, to: 2}}", []),
            ("constants of a call", "{call: a, with: {from: 2, to: 1}}", [empty]),
            ("a constant and a default", "{call: a, with: {from: 2}}", [empty]),
            ("a computed value", "{call: a, with: {from: \"${length(run.id)}\"}}", []),
            (
                "a value that violates its schema too", "{call: a, with: {from: x}}",
                ["invalid-input: the value of input 'from' must be an integer, but is a string"]
            ),
        ] as [(String, String, [String])]
    )
    func `constants satisfy the conditions on inputs`(what: String, chain: String, messages: [String]) throws {
        try check(
            what,
            messages,
            """
            endpoints:
              a:
                path: /a/${inputs.from}/${inputs.to}
                inputs: {from: integer, to: {type: integer, default: 1}}
                check: [{that: inputs.from < inputs.to, message: the range is empty}]
            graphs: {main: {chain: [\(chain)]}}
            """
        )
    }

    @Test func `a condition on inputs reads only these, and those of a graph that is run are checked`() throws {
        let impure = "impure-check: a condition on inputs cannot use"
        let endpoint = "endpoints: {a: {path: /a, inputs: {n: integer}, check: [%]}}"
        for (condition, words) in [
            ("inputs.n < length(run.id)", ["\(impure) 'run'"]),
            ("inputs.n < epoch(now())", ["\(impure) functions that read a clock, a file or a filter"]),
            ("inputs.m < 1", ["unknown-input: no input is named 'm'"]),
        ] { try check(condition, words, endpoint.replacing("%", with: condition)) }
        let graph =
            "inputs: {n: {type: integer, default: 7}}, check: [inputs.n < 5], chain: [{get: \"/a/${inputs.n}\"}]"
        let message = "the inputs of graph 'main' are not accepted: 'inputs.n < 5' is false: inputs.n is 7"
        try check("a graph", ["violated-check: \(message)"], "graphs: {main: {\(graph)}}")
    }
}
