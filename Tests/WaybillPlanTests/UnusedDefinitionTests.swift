import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillTestSupport

@Suite(.timeLimit(.minutes(5))) struct UnusedDefinitionTests {
    /// The headlines of the warnings about unused definitions.
    private func unused(_ text: String) throws -> [String] {
        try PlanFixture.plan(text).diagnostics.filter { $0.id == "unused-definition" }.map(\.headline)
    }

    private static let graph = "graphs: {main: {chain: [{get: \"http://127.0.0.1/\"}]}}"

    @Test(
        arguments: [
            ("inputs: {a: {type: string, default: x}}", "input 'a'"), ("secrets: {a: {env: A}}", "secret 'a'"),
            ("data: {a: {file: manifest.yaml}}", "data 'a'"), ("filters: {a: [{limit: 1}]}", "filter 'a'"),
        ]
    )
    func `an unused definition is reported`(definition: String, what: String) throws {
        #expect(try unused("\(definition)\n\(Self.graph)") == ["nothing uses the \(what)"])
        #expect(try unused(definition).isEmpty, "a file without graphs is a library")
    }

    @Test func `a service without requests is reported`() throws {
        let services = "services: {a: {baseURL: \"http://127.0.0.1/\"}, b: {baseURL: \"http://127.0.0.1/\"}}"
        let graph = "graphs: {main: {chain: [{get: /a, service: a}]}}"
        #expect(try unused("\(services)\n\(graph)") == ["nothing uses the service 'b'"])
    }

    @Test func `a session whose outputs nothing uses is reported`() throws {
        func manifest(_ headers: String) -> String {
            """
            services: {a: {baseURL: "http://127.0.0.1/", session: {call: login}}}
            endpoints: {login: {path: /login, headers: {Accept: null}, outputs: {id: $.id}}}
            graphs: {main: {chain: [{get: /a, headers: {\(headers)}}]}}
            """
        }
        let expected = "nothing uses the session of the service 'a', so it is never fetched"
        #expect(try unused(manifest("X-A: a")) == [expected])
        #expect(try unused(manifest("X-A: '${session.id}'")).isEmpty)
    }

    @Test func `an endpoint is not reported because it can be called by name`() throws {
        let endpoint = "endpoints: {a: {url: \"http://127.0.0.1/\"}}"
        #expect(try unused("\(endpoint)\n\(Self.graph)").isEmpty)
    }

    @Test func `inputs and variables belong to their declarations`() throws {
        let text = """
            inputs: {a: {type: string, default: x}, b: {type: string, default: x}, c: {type: string, default: x}}
            endpoints:
              e: {url: "http://127.0.0.1/${inputs.a}", inputs: {a: string, b: string, d: string}, vars: {v: 1, w: "${vars.v}"}}
            graphs:
              main: {chain: [{call: e, with: {a: x, d: x}}]}
              other: {inputs: {a: string, g: string}, chain: [{get: "http://127.0.0.1/${inputs.a}"}]}
            """
        #expect(
            try unused(text) == [
                "nothing uses the input 'c'",
                "nothing uses the input 'b'",  // of the endpoint; the manifest's input provides its value
                "nothing uses the input 'd'",
                "nothing uses the variable 'w'",
                "nothing uses the input 'g'",
            ]
        )
    }

    @Test func `an input of the manifest is used if a call does not set it or passes it on`() throws {
        let text = """
            inputs: {a: {type: string, default: x}, b: {type: string, default: x}, c: {type: string, default: x}}
            endpoints: {e: {url: "http://127.0.0.1/${inputs.a}", inputs: {a: string}}}
            graphs:
              main: {chain: [{call: e}, {get: "http://127.0.0.1/${inputs.b}/${manifest.inputs.c}"}]}
            """
        #expect(try unused(text).isEmpty)
    }

    @Test func `an expression that uses all inputs or secrets uses each of them`() throws {
        let text = """
            inputs: {a: {type: string, default: x}}
            secrets: {s: {env: S}}
            graphs: {main: {chain: [{post: "http://127.0.0.1/", body: {json: {i: "${inputs}", s: "${secrets}"}}}]}}
            """
        #expect(try unused(text).isEmpty)
    }

    @Test func `a filter is used by levels and by other filters`() throws {
        let text = """
            filters: {a: [b], b: [{limit: 1}], c: [{limit: 1}]}
            graphs: {main: {chain: [{get: "http://127.0.0.1/", filters: [a, {filter: c, for: any}]}]}}
            """
        #expect(try unused(text).isEmpty)
    }

    @Test func `no unused definitions are reported if there is an error`() throws {
        #expect(try unused("filters: {unwrap: [{limit: 1}]}\ndefaults: {filters: [unwarp]}\n\(Self.graph)").isEmpty)
    }

    @Test func `unused definitions in included files are not reported`() throws {
        let folder = TemporaryFolder()
        folder.write("waybill: 1\nfilters: {a: [{limit: 1}]}\n\(Self.graph)\n", to: "part.yaml")
        let path = folder.write(
            "waybill: 1\ninclude: [part.yaml]\ngraphs: {other: {chain: [{get: \"http://127.0.0.1/\"}]}}\n",
            to: "manifest.yaml"
        )
        let manifest = try #require(ManifestLoader().load(path).manifest)
        #expect(PlanBuilder.check(manifest).diagnostics.isEmpty)
    }
}
