import OrderedCollections
import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillTestSupport

/// Every setting of the schema, at every kind of step, changes the step or is rejected.
@Suite(.timeLimit(.minutes(5))) struct StepSettingTests {
    /// A value of each setting.
    private static let samples: [(name: String, value: String)] = {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let bytes = TemporaryFolder.contents(of: "\(root)/Tests/Manifests/every-key.yaml") ?? []
        let defaults = YAMLReader().read(SourceFile(name: "every-key.yaml", bytes: bytes)).document?["defaults"]
        let found = defaults?.mapping?.entries.map { ($0.key.text ?? "", JSONWriter().string($0.value.json)) } ?? []
        // An empty list of filters is no setting.
        return found.filter { $0.0 != "filters" } + [
            ("filters", "[{select: $}]"), ("body", #"{"json": {}}"#), ("standalone", "true"),
        ]
    }()

    private static let options: PlanOptions = {
        var options = PlanOptions()
        options.values = JSONObject([(name: "username", value: "u"), (name: "page", value: 1)])
        return options
    }()

    private static let forms = [
        "call": "e", "request": "{path: /a}", "get": "/a", "head": "/a", "post": "/a", "put": "/a", "patch": "/a",
        "delete": "/a", "chain": "[{get: /a}]", "batch": "[{get: /a}]", "graph": "sub", "values": "{n: '1'}",
        "end": "1 == 1",
    ]

    @Test func `there is a value of every setting`() {
        let names = SettingDefinitions.keys + [SettingDefinitions.inherit]
        #expect(Set(names).subtracting(Self.samples.map(\.name)).isEmpty)
        #expect(StepForm.allCases.map(\.rawValue).sorted() == Self.forms.keys.sorted())
    }

    @Test(arguments: forms.keys.sorted())
    func `a setting that has no effect at a step is rejected`(form: String) throws {
        for (name, value) in Self.samples {
            let folder = TemporaryFolder()
            let path = folder.write(
                """
                waybill: 1
                inputs: {username: string, page: integer}
                secrets: {password: PASSWORD}
                services: {s: {baseURL: "http://127.0.0.1:1"}}
                endpoints: {e: {path: /e}}
                graphs:
                  main: {chain: [{id: step, \(form): \(Self.forms[form] ?? ""), \(name): \(value)}]}
                  sub: {chain: [{get: /b}]}

                """,
                to: "manifest.yaml"
            )
            let loaded = ManifestLoader().load(path)
            let manifest = try #require(loaded.manifest)
            let checked = PlanBuilder.check(manifest)
            let isRejected = (loaded.diagnostics + checked.diagnostics).contains { $0.id.name == "misplaced-key" }
            let step = try #require(manifest.graphs["main"]?.value.body.steps.first)
            let sendsRequests = !["values", "end"].contains(form)
            let isEffective = sendsRequests || name == "tag" || name == "deadline" && form != "end"
            // 'concurrency' belongs to a batch, 'contract' to calls of operations, and the others to a service.
            let isElsewhere =
                name == "concurrency" && form != "batch" || ["maxConnections", "rate"].contains(name)
                || name == "contract" && ![.chain, .batch, .graph].contains(StepForm(rawValue: form))
            #expect(isRejected == (!isEffective || isElsewhere), "\(form): \(name)")
            guard !isRejected, SettingDefinitions.keys.contains(name) else { continue }
            #expect(
                step.settings.has(name) || name == DeadlineSetting.key && step.flow?.deadline != nil,
                "\(form): \(name)"
            )
            guard sendsRequests, !["deadline", "concurrency", "tag"].contains(name), !checked.diagnostics.hasErrors
            else {
                continue
            }
            let plan = try #require(PlanBuilder.plan(checked, options: Self.options).plan)
            let graph = form == "graph" ? plan.subgraphs["main.step"] : plan.graphs.first
            #expect(graph?.body.requests.first?.request.settings.has(name) == true, "\(form): \(name)")
        }
    }
}
