import Testing
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillPlan

@testable import WaybillManifest

@Suite(.timeLimit(.minutes(5))) struct CascadeTests {
    private let manifest = """
        defaults:
          timeout: 15s
          headers: {X-A: defaults, X-B: defaults, X-C: defaults}
          filters: [{select: $.one}]
        services:
          s:
            baseURL: http://127.0.0.1:1
            headers: {x-b: service, X-D: service}
            filters: [{select: $.two}]
            expect: {status: 200, body: [$.a == 1]}
        endpoints:
          e:
            path: /e
            headers: {X-C: null}
            timeout: 2s
            expect: {status: 201, body: [$.b == 1]}
        graphs:
          main:
            headers: {X-E: graph}
            chain:
              - {call: e, filters: [{select: $.three}]}

        """

    @Test func `names are merged, the nearest level wins, and null removes a name`() throws {
        let settings = try PlanFixture.request(manifest).settings
        let headers = settings.headers.map {
            "\($0.value.name.value): \($0.value.texts?.first?.constantText ?? "-")"
        }
        #expect(headers == ["X-A: defaults", "x-b: service", "X-D: service", "X-E: graph"])
    }

    @Test func `many names are merged like few`() throws {
        func headers(_ names: [String], _ value: String) -> String {
            "headers: {\(names.map { "\($0): \(value)" }.joined(separator: ", "))}"
        }
        let (defaults, graph) = ((0..<40).map { "X-\($0)" }, (20..<60).map { "x-\($0)" })
        let manifest = """
            defaults: {\(headers(defaults, "a"))}
            endpoints: {e: {url: "http://127.0.0.1:1/", headers: {X-0: null, x-59: a}}}
            graphs: {main: {\(headers(graph, "b")), chain: [{call: e}]}}

            """
        let merged = try PlanFixture.request(manifest).settings.headers.map {
            "\($0.value.name.value): \($0.value.texts?.first?.constantText ?? "-")"
        }
        let expected = defaults[1..<20].map { "\($0): a" } + graph.map { "\($0): b" }
        #expect(merged.sorted() == expected.sorted())
        #expect(merged.first == "X-1: a")
    }

    @Test func `every merged value keeps its location and level`() throws {
        let settings = try PlanFixture.request(manifest).settings
        #expect(
            settings.headers.map(\.level) == [.defaults, .service("s"), .service("s"), .graph("main")]
        )
        #expect(settings.timeout?.level == .endpoint("e"))
        #expect(settings.timeout?.span.start.line == 16)
    }

    @Test func `filters and body expectations accumulate, outer levels first, and other settings are replaced`() throws
    {
        let request = try PlanFixture.request(manifest)
        let selected = request.filters.map { stage in
            (stage.value.stage as? SelectStage)?.path.expression.text
        }
        #expect(selected == ["$.one", "$.two", "$.three"])
        #expect(request.checks.map(\.value.that.expression.text) == ["$.a == 1", "$.b == 1"])
        #expect(request.settings.expectedStatus?.value.constants == [.code(201)])
    }

    @Test func `a setting that a level declines is not inherited`() throws {
        let declining = manifest.replacing("timeout: 2s", with: "inherit: {headers: false, filters: false}")
        let request = try PlanFixture.request(declining)
        #expect(request.settings.headers.map(\.value.name.value) == ["X-E"])
        #expect(request.filters.count == 1)
        #expect(request.checks.count == 2)
    }

    @Test func `a standalone request inherits nothing from defaults, service, graph and enclosing steps`() throws {
        let alone = manifest.replacing("timeout: 2s", with: "baseURL: http://127.0.0.1:2\n    standalone: true")
        let request = try PlanFixture.request(alone)
        #expect(request.settings.headers.map(\.value.name.value) == [String]())
        #expect(request.filters.count == 1)
        #expect(request.settings.timeout == nil)
    }

    @Test(arguments: [
        ("headers: {A: b}, chain: [{values: {n: '1'}}]", "headers"),
        ("chain: [{timeout: 1s, chain: [{values: {n: '1'}}]}]", "timeout"),
        ("chain: [{graph: sub, expect: {status: 404}, retry: {times: 1}}]", "expect retry"),
        ("batch: [{id: g, graph: sub, tag: a, deadline: 1s, forEach: {in: [1], as: n}}], concurrency: 1", ""),
        ("headers: {A: b}, chain: [{graph: sub}, {get: /a}]", ""),
    ])
    func `a setting of steps that send no request is an error`(main: String, rejected: String) throws {
        let (_, diagnostics) = try PlanFixture.plan(
            """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            graphs:
              main: {\(main)}
              sub: {chain: [{values: {n: '1'}}]}

            """
        )
        let names = diagnostics.filter { $0.id.name == "misplaced-key" }.compactMap { diagnostic in
            diagnostic.headline.split(separator: "'").first.map(String.init)
        }
        #expect(names.joined(separator: " ") == rejected)
    }

    @Test(arguments: [
        ("", "chain: [{get: /a, onFailure: collect}]", "misplaced-key"),
        ("", "chain: [{graph: sub, onFailure: collect}]", "misplaced-key"),
        ("", "chain: [{get: /a, forEach: {in: [1], as: n}, onFailure: collect}]", ""),
        ("", "chain: [{chain: [{values: {n: '1'}}], inherit: {headers: false}}]", "misplaced-key"),
        ("defaults: {inherit: {headers: false}}", "chain: [{get: /a}]", "misplaced-key"),
        ("", "chain: [{get: /a, expect: {status: 404}, write: {to: a.csv}}]", "status-contradiction"),
    ])
    func `a key without effect is reported`(defaults: String, main: String, id: String) throws {
        let (_, diagnostics) = try PlanFixture.plan(
            """
            \(defaults)
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            graphs:
              main: {\(main)}
              sub: {chain: [{get: /b}]}

            """
        )
        #expect(diagnostics.map(\.id.name).joined(separator: " ") == id)
    }

    @Test func `a graph that is named twice is run once, and the journal has the defaults of its inputs`() throws {
        var options = PlanOptions()
        options.graphs = ["g", "g"]
        let (plan, _) = try PlanFixture.plan(
            """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            graphs: {g: {inputs: {n: {type: integer, default: 3}}, chain: [{get: "/${inputs.n}"}]}}

            """,
            options: options
        )
        #expect(plan?.graphs.map(\.name) == ["g"])
        #expect(plan?.graphs.first?.ownInputs == JSONObject([(name: "n", value: 3)]))
        #expect(plan?.inputs == JSONObject([(name: "g.n", value: 3)]))
    }

    @Test func `graphs that are run with settings have a maximum size`() throws {
        let graphs = (1...15).map { level in
            let inner = level == 15 ? "{get: /a}" : "{id: a, graph: g\(level + 1)}, {id: b, graph: g\(level + 1)}"
            return "  g\(level): {chain: [\(inner)]}\n"
        }
        func diagnostics(_ settings: String) throws -> [String] {
            let main = "  main: {chain: [{graph: g1\(settings)}]}\n"
            let text = "services: {s: {baseURL: \"http://127.0.0.1:1\"}}\ngraphs:\n\(main)\(graphs.joined())"
            return try PlanFixture.plan(text).diagnostics.filter { $0.severity == .error }.map(\.headline)
        }
        #expect(try diagnostics("") == [])
        #expect(
            try diagnostics(", timeout: 1s") == [
                "the graphs that this step runs with its settings have more than 20000 steps"
            ]
        )
        #expect(
            try diagnostics("}, {id: b, graph: g1}, {id: c, graph: g1") == [
                "graph 'main' and the graphs that it runs have more than 100000 steps"
            ]
        )
    }

    @Test func `a graph that no step runs takes its inputs from the command line, the manifest or its defaults`() throws
    {
        func outcome(_ graphs: [String], _ inputs: (name: String, text: String)...) throws -> String {
            var options = PlanOptions()
            (options.graphs, options.inputs) = (graphs, inputs)
            let (plan, diagnostics) = try PlanFixture.plan(
                """
                inputs: {c: {type: string, default: manifest}}
                services: {s: {baseURL: "http://127.0.0.1:1"}}
                graphs:
                  main:
                    inputs: {a: {type: string, default: own}, c: string}
                    chain: [{get: "/${inputs.a}/${inputs.c}"}]
                  sub:
                    inputs: {a: integer, c: string}
                    chain: [{get: "/${inputs.a}/${inputs.c}"}]

                """,
                options: options
            )
            return try plan.map { plan in
                try #require(diagnostics.isEmpty)
                return plan.graphs.map { JSONWriter().string(.object($0.ownInputs)) }.joined(separator: " ")
            } ?? diagnostics.map(\.headline).joined(separator: " ")
        }
        #expect(try outcome([]) == #"{"a":"own","c":"manifest"}"#)
        #expect(try outcome(["main"], ("a", "5"), ("c", "x")) == #"{"a":"5","c":"x"}"#)
        #expect(try outcome(["sub"], ("a", "5")) == #"{"a":5,"c":"manifest"}"#)
        #expect(try outcome(["sub"]) == "graph 'sub' requires the input 'a'")
        #expect(try outcome(["sub"], ("a", "x")).contains("input 'a'"))
        #expect(try outcome(["main", "sub"], ("a", "7")) == #"{"a":"7","c":"manifest"} {"a":7,"c":"manifest"}"#)
        #expect(
            try outcome(["main", "sub"], ("a", "x"))
                == "the value given for input 'a' with --input must be an integer, but is a string"
        )
        #expect(try outcome([], ("b", "x")).hasPrefix("no input of "))
    }

    @Test(arguments: [
        (["destructive"], [], [], "main.g.read main.h.read main.k"),
        ([], ["smoke"], [], "main.g.read main.h.read"),
        ([], [], ["wipe"], "main.g.wipe main.h.wipe"),
        ([], [], ["main.h.wipe"], "main.h.wipe"),
        ([], [], ["h"], "main.h.read main.h.wipe"),
    ])
    func `steps of graphs that steps run are selected by tags and names`(
        excluded: [String],
        tags: [String],
        steps: [String],
        kept: String
    ) throws {
        var options = PlanOptions()
        options.selection.excludedTags = excluded
        (options.selection.tags, options.selection.steps) = (tags, steps)
        let (plan, _) = try PlanFixture.plan(
            """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            graphs:
              main: {chain: [{id: g, graph: orders}, {id: h, graph: orders}, {id: k, get: /k}]}
              orders:
                chain: [{id: read, tag: smoke, get: /a}, {id: wipe, tag: destructive, delete: /b}]

            """,
            options: options
        )
        let graphs = try #require(plan).graphs + (plan?.sortedSubgraphs ?? [])
        #expect(graphs.flatMap { $0.body.requests.map(\.step.path) }.sorted().joined(separator: " ") == kept)
    }

    @Test func `a limited graph leaves out the outputs that need an omitted output of a graph that it runs`() throws {
        var options = PlanOptions()
        options.selection.excludedTags = ["slow"]
        let (plan, diagnostics) = try PlanFixture.plan(
            """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            graphs:
              main:
                chain: [{id: g, graph: sub}, {id: wipe, tag: slow, get: /w}, {id: k, get: "/${steps.wipe.status}"}]
                outputs: {n: steps.g.outputs.n, m: steps.g.outputs.m, w: steps.wipe.status}
              sub:
                chain: [{id: a, tag: slow, get: /a}, {id: b, get: /b}]
                outputs: {n: steps.a.status, m: steps.b.status}

            """,
            options: options
        )
        #expect(try #require(plan).graphs[0].outputs.map(\.name.value) == ["m", "w"])
        #expect(plan?.subgraphs["main.g"]?.outputs.map(\.name.value) == ["m"])
        #expect(
            diagnostics.map(\.headline) == [
                "step 'main.wipe' has an excluded tag, but runs, because another step needs it"
            ]
        )
    }

    @Test func `names in environments that are not applied must exist, too`() throws {
        let text = """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            environments: {e: {services: {x: {baseURL: "http://127.0.0.1:2"}}}, f: {inputs: {y: 1}}}
            graphs: {main: {chain: [{get: /a}]}}

            """
        for environment in [nil, "e"] {
            let ids = try PlanFixture.plan(text, environment: environment).diagnostics.map(\.id.name)
            #expect(ids.sorted() == ["unknown-input", "unknown-service"])
        }
    }

    @Test func `an input of an endpoint or graph that no call sets takes its environment variable`() throws {
        var options = PlanOptions()
        options.variables = ["E": "env", "N": "7"]
        let (plan, _) = try PlanFixture.plan(
            """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            endpoints: {e: {path: "/${inputs.a}", inputs: {a: {type: string, default: x, env: E}}}}
            graphs:
              main: {chain: [{call: e}, {id: g, graph: sub}]}
              sub: {inputs: {n: {type: integer, default: 1, env: N}}, chain: [{get: "/${inputs.n}"}]}

            """,
            options: options
        )
        let sources = try #require(plan).graphs[0].body.steps.flatMap { step -> [ArgumentPlan] in
            switch step.work {
            case .request(let request): request.arguments
            case .graph(let call): call.arguments
            default: []
            }
        }.map { if case .constant(let value) = $0.source { value } else { JSON.null } }
        #expect(sources == ["env", 7])
    }

    @Test func `the tags of all levels add up`() throws {
        let (plan, _) = try PlanFixture.plan(
            """
            services: {s: {baseURL: "http://127.0.0.1:1", tag: service}}
            endpoints: {e: {path: /e, tag: endpoint}}
            graphs: {main: {chain: [{call: e, tag: step}]}}

            """
        )
        #expect(plan?.graphs.first?.body.steps.first?.tags.sorted() == ["endpoint", "service", "step"])
    }

    @Test func `the environment is applied before settings are merged`() throws {
        let text =
            manifest + """
                environments:
                  staging:
                    defaults: {timeout: 3s}
                    services: {s: {baseURL: "http://127.0.0.1:9", headers: {X-D: null}}}
                """
        let (plan, diagnostics) = try PlanFixture.plan(text, environment: "staging")
        #expect(diagnostics.isEmpty)
        let settings = try #require(plan?.graphs.first?.body.requests.first?.request.settings)
        #expect(settings.baseURL?.value.constantText == "http://127.0.0.1:9")
        #expect(!settings.headers.contains { $0.value.name.value == "X-D" })
        #expect(settings.timeout?.level == .endpoint("e"))
    }
}

extension RequestPlan {
    /// The conditions on the data.
    fileprivate var checks: [Setting<Check>] {
        settings.expectations.compactMap { entry in
            if case .body(let check) = entry.value { entry.map { _ in check } } else { nil }
        }
    }
}
