import Testing
import WaybillDiagnostics
import WaybillPlan

@Suite(.timeLimit(.minutes(5))) struct DataFlowTests {
    /// The ids of the diagnostics for a graph whose steps are flow mappings.
    private func diagnostics(_ body: String) throws -> [String] {
        let text = """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            graphs:
              main:
            \(body)
            """
        return try PlanFixture.plan(text).diagnostics.map(\.id.name)
    }

    @Test(
        arguments: [
            ("a step of a chain sees those before it", [], "{id: a, get: /a}, {id: b, get: \"/${steps.a.status}\"}"),
            ("but not those behind it", ["step-not-run"], "{id: b, get: \"/${steps.a.status}\"}, {id: a, get: /a}"),
            (
                "until sees the steps inside", [],
                "{until: {that: steps.a.status == 200, every: 1s}, chain: [{id: a, get: /a}]}"
            ),
            (
                "but no later steps", ["step-not-run"],
                "{until: {that: steps.b.ok, every: 1s}, chain: [{id: a, get: /a}]}, {id: b, get: /b}"
            ),
            (
                "and a tolerated step needs a default", ["uncertain-step"],
                "{until: {that: steps.a.status == 200, every: 1s}, chain: [{id: a, get: /a, onFailure: continue}]}"
            ),
            (
                "nor do the conditions of its steps see them", ["step-not-run"],
                "{until: {that: steps.a.ok, every: 1s}, chain: [{get: /b, when: steps.a.ok}, {id: a, get: /a}]}"
            ),
            ("and not itself", ["step-not-run"], "{id: a, get: \"/${steps.a.status}\"}"),
            (
                "a batch shows its steps when it has ended", [],
                "{batch: [{id: a, get: /a}]}, {get: \"/${steps.a.status}\"}"
            ),
            (
                "a tolerated step needs a default", ["uncertain-step"],
                "{id: a, get: /a, onFailure: continue}, {get: \"/${steps.a.status}\"}"
            ),
            (
                "and has one", [],
                "{id: a, get: /a, onFailure: continue}, {get: \"/${default(steps.a.status, 0)}\"}"
            ),
            (
                "or is asked whether it passed", [],
                "{id: a, get: /a, onFailure: continue}, {get: \"/${steps.a.ok}\"}"
            ),
            (
                "a tolerated forEach has elements", [],
                "{id: a, forEach: {in: [1], as: n}, get: /a, onFailure: continue}, {get: \"/${length(steps.a.items)}\"}"
            ),
            (
                "unless it may not have run", ["uncertain-step"],
                "{chain: [{id: a, forEach: {in: [1], as: n}, get: /a, onFailure: continue}], onFailure: continue}, {get: \"/${length(steps.a.items)}\"}"
            ),
            (
                "tolerance reaches into groups", ["uncertain-step"],
                "{onFailure: continue, chain: [{id: a, get: /a}]}, {get: \"/${steps.a.status}\"}"
            ),
            (
                "a group that collects is certain behind it", [],
                "{onFailure: collect, chain: [{id: a, get: /a}]}, {get: \"/${steps.a.status}\"}"
            ),
            (
                "but not inside it", ["uncertain-step"],
                "{onFailure: collect, chain: [{id: a, get: /a}, {get: \"/${steps.a.status}\"}]}"
            ),
            (
                "a chain that a forEach repeats stops at a failure, whatever the forEach does", [],
                "{onFailure: continue, forEach: {in: [1], as: n}, chain: [{id: a, get: /a}, {get: \"/${steps.a.status}\"}]}"
            ),
            (
                "a request that another one may replace is uncertain", ["uncertain-step"],
                "{id: a, get: /a, duplicates: cancel-previous}, {get: \"/${steps.a.status}\"}"
            ),
            (
                "also one that may not be sent", ["uncertain-step"],
                "{id: a, get: /a, duplicates: {mode: discard, key: 1}}, {get: \"/${steps.a.data.x}\"}"
            ),
            (
                "one that shares its response is certain", [],
                "{id: a, get: /a, duplicates: share}, {get: \"/${steps.a.status}\"}"
            ),
            (
                "a computed status may be another than 2xx", ["uncertain-step"],
                "{id: a, get: /a, expect: {status: \"${200}\"}, outputs: {x: $.x}}, {get: \"/${steps.a.outputs.x}\"}"
            ),
            (
                "and then has a default", [],
                "{id: a, get: /a, expect: {status: \"${200}\"}, outputs: {x: $.x}}, {get: \"/${default(steps.a.outputs.x, 1)}\"}"
            ),
            ("unknown steps are found", ["unknown-step"], "{get: \"/${steps.x.status}\"}"),
            ("unknown fields are found", ["unknown-field"], "{id: a, get: /a}, {get: \"/${steps.a.stat}\"}"),
            (
                "unknown outputs are found", ["unknown-output"],
                "{id: a, get: /a, outputs: {x: $.x}}, {get: \"/${steps.a.outputs.y}\"}"
            ),
        ] as [(String, [String], String)]
    )
    func `a step can only be referenced where it has certainly run`(case name: String, ids: [String], chain: String)
        throws
    {
        #expect(try diagnostics("    chain: [\(chain)]") == ids, "\(name)")
    }

    @Test func `the steps of a batch cannot reference each other`() throws {
        let body = "    batch: [{id: a, get: /a}, {id: b, get: \"/${steps.a.status}\"}]"
        #expect(try diagnostics(body) == ["step-not-run"])
    }

    @Test func `the outputs of a graph can reference all of its steps`() throws {
        let body = "    batch: [{id: a, get: /a}]\n    outputs: {x: steps.a.data}"
        #expect(try diagnostics(body) == [])
    }

    @Test(
        arguments: [
            ("a sibling is seen by what needs it", [], "{id: a, get: /a}, {needs: [a], get: \"/${steps.a.status}\"}"),
            (
                "also by way of another", [],
                "{id: a, get: /a}, {id: b, needs: [a], get: /b}, {needs: [b], get: \"/${steps.a.status}\"}"
            ),
            (
                "wherever it stands", [],
                "{needs: [b], get: \"/${steps.b.status}\"}, {id: b, get: /b}"
            ),
            (
                "also what is inside it", [],
                "{id: a, chain: [{id: b, get: /b}]}, {needs: [a], get: \"/${steps.b.status}\"}"
            ),
            (
                "but not by others", ["step-not-run"],
                "{id: a, get: /a}, {id: b, needs: [a], get: /b}, {get: \"/${steps.a.status}\"}"
            ),
            ("what is needed must be a sibling", ["unknown-step"], "{id: a, get: /a}, {needs: [c], get: /b}"),
            (
                "steps do not wait for each other", ["needs-cycle"],
                "{id: a, needs: [b], get: /a}, {id: b, needs: [a], get: /b}"
            ),
            ("nor for themselves", ["needs-cycle"], "{id: a, needs: [a], get: /a}"),
            (
                "what is run under a condition is uncertain", ["uncertain-step"],
                "{id: a, when: true, get: /a}, {needs: [a], get: \"/${steps.a.status}\"}"
            ),
        ] as [(String, [String], String)]
    )
    func `a step of a batch can reference the steps it needs`(case name: String, ids: [String], batch: String) throws {
        #expect(try diagnostics("    batch: [\(batch)]") == ids, "\(name)")
    }

    @Test(
        arguments: [
            ("needs has no meaning in a chain", ["misplaced-key"], "{id: a, get: /a}, {needs: [a], get: /b}"),
            (
                "a condition makes a step uncertain", ["uncertain-step"],
                "{id: a, when: true, get: /a}, {get: \"/${steps.a.status}\"}"
            ),
            ("which exists() asks for", [], "{id: a, when: true, get: /a}, {when: exists(steps.a.status), get: /b}"),
            (
                "a condition on a group makes what is in it uncertain", ["uncertain-step"],
                "{when: true, chain: [{id: a, get: /a}]}, {get: \"/${steps.a.status}\"}"
            ),
            (
                "inside the group it is certain", [],
                "{when: true, chain: [{id: a, get: /a}, {get: \"/${steps.a.status}\"}]}"
            ),
            (
                "a step of many elements has items", [],
                "{id: a, forEach: {in: [1], as: n}, get: \"/${n}\"}, {when: \"length(steps.a.items) > 0\", get: /b}"
            ),
            (
                "and nothing else of a request", ["unknown-field"],
                "{id: a, forEach: {in: [1], as: n}, get: \"/${n}\"}, {get: \"/${steps.a.status}\"}"
            ),
            (
                "no other step has items", ["unknown-field"],
                "{id: a, get: /a}, {when: \"length(steps.a.items) > 0\", get: /b}"
            ),
            (
                "what is inside is seen inside", [],
                "{forEach: {in: [1], as: n}, chain: [{id: a, get: /a}, {get: \"/${steps.a.status}\"}]}"
            ),
            (
                "and not outside", ["step-not-run"],
                "{forEach: {in: [1], as: n}, chain: [{id: a, get: /a}]}, {get: \"/${steps.a.status}\"}"
            ),
            (
                "the variable is seen inside only", ["unknown-name"],
                "{forEach: {in: [1], as: n}, get: \"/${n}\"}, {get: \"/${n}\"}"
            ),
            ("and not by the list itself", ["unknown-name"], "{forEach: {in: n, as: n}, get: \"/${n}\"}"),
            ("computed values are outputs", [], "{id: v, values: {x: 1 + 1}}, {get: \"/${steps.v.outputs.x}\"}"),
            ("with their names", ["unknown-output"], "{id: v, values: {x: 1}}, {get: \"/${steps.v.outputs.y}\"}"),
            ("and no response", ["unknown-field"], "{id: v, values: {x: 1}}, {get: \"/${steps.v.status}\"}"),
            (
                "outputs need a status of 2xx", ["outputs-never"],
                "{id: a, get: /a, expect: {status: 404}, outputs: {x: $.x}}, {get: \"/${steps.a.outputs.x}\"}"
            ),
            (
                "are uncertain when others are expected too", ["uncertain-step"],
                "{id: a, get: /a, expect: {status: [200, 404]}, outputs: {x: $.x}}, {get: \"/${steps.a.outputs.x}\"}"
            ),
            ("a graph that a step runs must exist", ["unknown-graph"], "{graph: other}"),
            ("and may not be the same", ["graph-cycle"], "{graph: main}"),
        ] as [(String, [String], String)]
    )
    func `each form of step has its own fields`(case name: String, ids: [String], chain: String) throws {
        #expect(try diagnostics("    chain: [\(chain)]") == ids, "\(name)")
    }

    @Test(
        arguments: [
            ("a file that was written", [], "get: /a, write: {to: a.json}", "steps.a.written.records"),
            ("and the data", [], "get: /a, write: {to: a.json}", "steps.a.data"),
            ("no file", ["unknown-field"], "get: /a", "steps.a.written"),
            ("no such field", ["unknown-field"], "get: /a, write: {to: a.json}", "steps.a.written.count"),
            (
                "the data of pages", ["data-not-kept"], "get: /a, paginate: {link: true}, write: {to: a.json}",
                "length(steps.a.data)"
            ),
            (
                "that they may have", ["data-not-kept"], "get: /a, paginate: {link: true}, write: {to: a.json}",
                "\"exists(steps.a.data[0])\""
            ),
            ("the data of pages that are not written", [], "get: /a, paginate: {link: true}", "length(steps.a.data)"),
            (
                "the data of elements", ["data-not-kept"],
                "forEach: {in: [1], as: n}, get: \"/${n}\", write: {to: a.json}", "\"steps.a.items[*].data.x\""
            ),
            (
                "of one element", ["data-not-kept"],
                "forEach: {in: [1], as: n}, get: \"/${n}\", write: {to: a.json}", "\"steps.a.items[0].data\""
            ),
            (
                "the rest of elements", [], "forEach: {in: [1], as: n}, get: \"/${n}\", write: {to: a.json}",
                "\"concat(steps.a.items[0].status, steps.a.written.file)\""
            ),
        ] as [(String, [String], String, String)]
    )
    func `a step with 'write' has a field for its file`(what: String, ids: [String], step: String, value: String) throws
    {
        #expect(try diagnostics("    chain: [{id: a, \(step)}]\n    outputs: {x: \(value)}") == ids, "\(what)")
    }

    @Test func `after a chain, a step that may have been skipped by an end is uncertain`() throws {
        let body = "    chain: [{id: a, get: /a}, {end: true}, {id: b, get: /b}, {get: \"/${steps.b.status}\"}]\n"
        #expect(try diagnostics(body + "    outputs: {x: steps.a.status}") == [])
        #expect(try diagnostics(body + "    outputs: {x: steps.b.status}") == ["uncertain-step"])
    }

    @Test func `a finally step can reference steps that may have failed`() throws {
        let body = "    chain: [{id: a, get: /a}]\n    finally: [{get: "
        #expect(try diagnostics(body + "\"/${steps.a.status}\"}]") == ["uncertain-step"])
        #expect(try diagnostics(body + "\"/${default(steps.a.status, 0)}\"}]") == [])
    }

    @Test(
        arguments: [
            (
                "a step that is required to have passed is certain", [],
                "when: steps.a.ok, get: \"/${steps.a.outputs.id}\""
            ),
            ("so is one that is compared with true", [], "when: true == steps.a.ok, get: \"/${steps.a.data.x}\""),
            (
                "as one side of &&", [],
                "when: inputs.x == 1 && (steps.a.ok && steps.b.ok), get: \"/${steps.a.data.x}/${steps.b.status}\""
            ),
            ("a value that exists is certain", [], "when: exists(steps.a.outputs.id), get: \"/${steps.a.outputs.id}\""),
            ("also what is in it", [], "when: \"exists(steps.a.data[*].x)\", get: \"/${steps.a.data[0].id}\""),
            (
                "a status comes with header fields", [],
                "when: exists(steps.a.status), get: \"/${steps.a.headers.etag}\""
            ),
            (
                "in everything inside the step", [],
                "when: steps.a.ok, chain: [{batch: [{forEach: {in: steps.a.data, as: n}, get: \"/${steps.a.status}/${n}\"}]}]"
            ),
            ("in its list of elements", [], "when: steps.a.ok, forEach: {in: steps.a.data, as: n}, get: \"/${n}\""),
            (
                "in the rest of the condition", [],
                "when: steps.a.ok && steps.a.data.x > 1 && exists(steps.b.data) && steps.b.data.y, get: /c"
            ),
            (
                "but not before it", ["uncertain-step"],
                "when: steps.a.data.x > 1 && steps.a.ok, get: /c"
            ),
            ("another step is not", ["uncertain-step"], "when: steps.b.ok, get: \"/${steps.a.outputs.id}\""),
            (
                "another output is not", ["uncertain-step"],
                "when: exists(steps.a.outputs.id), get: \"/${steps.a.outputs.n}\""
            ),
            (
                "outputs are not certain by data", ["uncertain-step"],
                "when: exists(steps.a.data), get: \"/${steps.a.outputs.n}\""
            ),
            ("not() requires nothing", ["uncertain-step"], "when: not(steps.a.ok), get: \"/${steps.a.outputs.id}\""),
            ("nor does !", ["uncertain-step"], "when: \"!steps.a.ok\", get: \"/${steps.a.outputs.id}\""),
            (
                "nor does one side of ||", ["uncertain-step"],
                "when: steps.a.ok || inputs.x == 1, get: \"/${steps.a.outputs.id}\""
            ),
            (
                "nor does a filter", ["uncertain-step"],
                "when: \"length(inputs.list[?steps.a.ok]) > 0\", get: \"/${steps.a.status}\""
            ),
            (
                "the condition of if() holds in its first branch", [],
                "get: \"/${if(steps.a.ok, steps.a.outputs.id, 0)}\""
            ),
            (
                "but not in the second", ["uncertain-step"],
                "get: \"/${if(steps.a.ok, 0, steps.a.outputs.id)}\""
            ),
            (
                "nor behind it", ["uncertain-step"],
                "get: \"/${if(steps.a.ok, 1, 0)}${steps.a.outputs.id}\""
            ),
            (
                "outside the step nothing is certain", ["uncertain-step"],
                "when: steps.a.ok, get: /c}, {get: \"/${steps.a.status}\""
            ),
        ] as [(String, [String], String)]
    )
    func `a step that a condition requires is certain inside the conditional step`(
        case name: String,
        ids: [String],
        step: String
    ) throws {
        let text = """
            inputs: {x: {type: integer, default: 1}, list: {type: array, default: []}}
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            graphs:
              main:
                chain:
                  - {id: a, get: /a, onFailure: continue, outputs: {id: $.id, n: $.n}}
                  - {id: b, get: /b, onFailure: continue}
                finally: [{\(step)}]
            """
        let errors = try PlanFixture.plan(text).diagnostics.filter { $0.severity == .error }
        #expect(errors.map(\.id.name) == ids, "\(name)")
    }

    @Test func `if an expected status has no outputs, only a test for an output makes it certain`() throws {
        let step = "{id: a, get: /a, expect: {status: [200, 404]}, outputs: {x: $.x}}"
        func chain(_ condition: String) -> String {
            "    chain: [\(step), {when: \(condition), get: \"/${steps.a.outputs.x}\"}]"
        }
        #expect(try diagnostics(chain("steps.a.ok")) == ["uncertain-step"])
        #expect(try diagnostics(chain("exists(steps.a.outputs.x)")) == [])
    }

    @Test func `a step that runs a graph has the declared outputs of that graph`() throws {
        let other =
            "\n  other:\n    inputs: {n: integer}\n    chain: [{id: o, get: \"/${inputs.n}\"}]\n    outputs: {x: steps.o.status}"
        let calls = "    chain: [{id: g, graph: other, with: {n: 1}}, {get: \"/${steps.g.outputs.x}\"}]"
        #expect(try diagnostics(calls + other) == [])
        #expect(try diagnostics(calls.replacing("outputs.x", with: "outputs.y") + other) == ["unknown-output"])
        #expect(try diagnostics(calls.replacing("{n: 1}", with: "{n: a}") + other) == ["invalid-input"])
        #expect(try diagnostics(calls.replacing("{n: 1}", with: "{}") + other) == ["missing-input"])
        // A string, whatever its expression yields.
        #expect(try diagnostics(calls.replacing("{n: 1}", with: "{n: \"${1}}\"}") + other) == ["invalid-input"])
        #expect(try diagnostics(calls.replacing("{n: 1}", with: "{n: \"${1}\"}") + other) == [])
    }

    @Test func `a long chain of needs is checked in linear time and memory`() throws {
        let count = 10_000
        let steps = (0..<count).map { index in
            let previous = index == 0 ? "" : ", needs: [s\(index - 1)], query: {a: \"${steps.s\(index - 1).status}\"}"
            return "      - {id: s\(index), get: /a\(previous)}"
        }
        let last = """
                  - {id: seen, needs: [s\(count - 1)], get: "/${steps.s0.status}"}
                  - {id: unseen, get: "/${steps.s0.status}"}
            """
        #expect(try diagnostics("    batch:\n" + steps.joined(separator: "\n") + "\n" + last) == ["step-not-run"])
        // In reverse order, each step waits for the one after it.
        let reversed = steps.reversed().joined(separator: "\n")
        #expect(try diagnostics("    batch:\n" + reversed) == [])
    }

    @Test func `graphs that run each other can be nested 256 levels deep`() throws {
        func diagnostics(_ count: Int) throws -> [Diagnostic] {
            let graphs = (1...count).map { level in
                let step = level == count ? "get: \"http://127.0.0.1/\"" : "graph: g\(level + 1)"
                return "  g\(level): {chain: [{id: a, \(step)}]}"
            }
            var options = PlanOptions()
            options.graphs = ["g1"]
            return try PlanFixture.plan("graphs:\n" + graphs.joined(separator: "\n"), options: options).diagnostics
        }
        #expect(try diagnostics(256).isEmpty)
        for count in [257, 300, 5_000] {
            let found = try diagnostics(count)
            #expect(found.map(\.id.name) == ["graph-nesting"])
            #expect(found.first?.headline == "graphs are nested more than 256 levels deep")
            // The location is the call in the 257th graph, counted from the innermost one.
            #expect(found.first?.primary?.span.start.line == count - 256 + 2)
        }
    }

    @Test func `steps that need each other cause one diagnostic, even if they also reference each other`() throws {
        let found = try diagnostics(
            """
                batch:
                  - {id: a, get: "/${steps.b.status}", needs: [b]}
                  - {id: b, get: "/${steps.a.status}", needs: [a]}
                  - {id: c, get: "/${steps.b.status}", needs: [a]}
            """
        )
        #expect(found == ["needs-cycle"])
    }

    /// The hint for a field that a step with 'forEach' does not have, and the field it suggests.
    @Test(
        arguments: [
            ("outputs", "get: /a, outputs: {x: $.x}", "steps.e.items[*].outputs has all values", "outputs.x"),
            ("status", "get: /a", "steps.e.items[*].status has all values", "status"),
            ("headers", "get: /a", "has 'item', 'ok', 'error', 'outputs', 'status', 'data'", "data"),
            ("outputs", "chain: [{id: i, get: /a}]", "has 'item', 'ok', 'error'", "item"),
            ("status", "values: {x: n}", "has 'item', 'ok', 'error', 'outputs'", "outputs.x"),
        ]
    )
    func `the hint for a field of a step with 'forEach' names an existing field`(
        field: String,
        step: String,
        hint: String,
        instead: String
    ) throws {
        func diagnostics(_ path: String) throws -> [Diagnostic] {
            try PlanFixture.plan(
                """
                services: {s: {baseURL: "http://127.0.0.1:1"}}
                graphs:
                  main:
                    chain:
                      - {id: e, forEach: {in: [1], as: n}, \(step)}
                      - {post: /b, body: {json: "${\(path)}"}}
                """
            ).diagnostics
        }
        let found = try diagnostics("steps.e.\(field)")
        #expect(found.map(\.id.name) == ["unknown-field"])
        let help = found.map { $0.help.joined(separator: " ") }.joined()
        #expect(help.contains(hint), "\(help)")
        let followed = try diagnostics("steps.e.items[*].\(instead)")
        #expect(followed.isEmpty, "\(HumanRenderer().render(followed))")
    }
}
