import OrderedCollections
import Testing
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillSchema
import WaybillTestSupport

@testable import WaybillPipeline
@testable import WaybillPlanPrinting

@Suite(.timeLimit(.minutes(5))) struct PlanFormatTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    private static let manifests =
        TemporaryFolder.files(in: root + "/manifests", ending: ".yaml").filter { !$0.contains("/common/") }
        + [root + "/Tests/Manifests/every-setting.yaml"]

    @Test(arguments: manifests, [nil, "staging"])
    func `a plan as JSON conforms to its schema`(manifest: String, environment: String?) throws {
        let isKnown = ManifestLoader().load(manifest).manifest?.environments["staging"] != nil
        let stage = try PlanFixture.description(of: manifest, environment: isKnown ? environment : nil)
        let description = try #require(stage.value, "\(stage.diagnostics)")
        let document = try JSONParser().parse(Array(description.jsonDocument.utf8))
        let schema = try JSONSchema(compiling: try JSONParser().parse(EmbeddedSchema.plan.text))
        #expect(schema.validate(document) == [])
    }

    @Test(arguments: manifests, [nil, "staging"])
    func `the explanation of an endpoint as JSON conforms to its schema`(manifest: String, environment: String?) throws
    {
        let loaded = try #require(ManifestLoader().load(manifest).manifest)
        let environment = loaded.environments["staging"] == nil ? nil : environment
        let pipeline = Pipeline()
        var schema = try #require(try JSONParser().parse(EmbeddedSchema.plan.text).object)
        for name in ["type", "required", "properties", "additionalProperties"] { schema[name] = nil }
        schema["$ref"] = "#/$defs/endpointExplanation"
        let compiled = try JSONSchema(compiling: .object(schema))
        for name in loaded.endpoints.keys {
            let stage = pipeline.check(pipeline.load(manifest), environment: environment)
                .then { Pipeline.explain(name, of: $0, PlanOptions()) }
            let explanation = try #require(stage.value, "\(stage.diagnostics)")
            let document = try JSONParser().parse(Array(explanation.jsonDocument.utf8))
            #expect(compiled.validate(document) == [])
            #expect(document["settings"]?.array?.isEmpty == false)
        }
    }

    @Test func `the plan of the complete manifest contains every setting and every form of step`() throws {
        let stage = try PlanFixture.description(of: Self.root + "/Tests/Manifests/every-setting.yaml")
        let description = try #require(stage.value, "\(stage.diagnostics)")
        let document = description.jsonDocument
        for name in SettingDefinitions.keys where !["filters", "concurrency", "deadline"].contains(name) {
            let isThere = document.contains("\"key\": \"\(name)\"")
            #expect(isThere, "\(name)")
        }
        for form in StepForm.allCases {
            let isThere = document.contains("\"form\": \"\(form.rawValue)\"")
            #expect(isThere, "\(form)")
        }
    }

    @Test func `a value from an environment names the environment`() throws {
        let description = try PlanFixture.description(
            """
            environments: {staging: {defaults: {timeout: 5s}, services: {s: {headers: {X-B: 2}}}}}
            defaults: {timeout: 1s, connectTimeout: 1s}
            services: {s: {baseURL: "http://127.0.0.1/", headers: {X-A: 1, X-B: 1}}}
            graphs: {main: {chain: [{get: /}]}}
            """,
            environment: "staging"
        )
        let document = try JSONParser().parse(Array(description.jsonDocument.utf8))
        let settings = try #require(document["graphs"]?[0]?["steps"]?[0]?["request"]?["settings"]?.array)
        let found = settings.map { setting in
            let parts = [setting["key"], setting["name"], setting["value"], setting["from"]?["environment"]]
            return parts.compactMap { $0.map { $0.string ?? JSONWriter().string($0) } }.joined(separator: " ")
        }
        #expect(
            found == [
                "timeout 5s staging", "connectTimeout 1s", "baseURL http://127.0.0.1/", "headers X-A 1",
                "headers X-B 2 staging",
            ]
        )
    }

    @Test(arguments: PlanFixture.documents.indices)
    func `a long plan is printed completely`(format: Int) throws {
        let steps = (1...3000).map { "      - {id: step\($0), get: /items/\($0)}\n" }.joined()
        let description = try PlanFixture.description(
            "services: {s: {baseURL: \"http://127.0.0.1/\"}}\ngraphs:\n  main:\n    chain:\n" + steps
        )
        let document = PlanFixture.documents[format](description)
        let found = Set(document.matches(of: #/127\.0\.0\.1/items/([0-9]+)/#).compactMap { Int($0.1) })
        #expect(found == Set(1...3000))
    }
}
