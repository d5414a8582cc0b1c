import Testing
import WaybillDiagnostics
import WaybillExpressions
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
        let headers = settings.headers.map { "\($0.name.value): \($0.values.value?.first?.constantText ?? "-")" }
        #expect(headers == ["X-A: defaults", "x-b: service", "X-D: service", "X-E: graph"])
    }

    @Test func `every merged value keeps its location and level`() throws {
        let settings = try PlanFixture.request(manifest).settings
        #expect(settings.headers.map(\.values.level) == [.defaults, .service("s"), .service("s"), .graph("main")])
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
        #expect(request.settings.expect.body.map(\.value.that.expression.text) == ["$.a == 1", "$.b == 1"])
        #expect(request.settings.expect.status?.value.constants == [.code(201)])
    }

    @Test func `a setting that a level declines is not inherited`() throws {
        let declining = manifest.replacing("timeout: 2s", with: "inherit: {headers: false, filters: false}")
        let request = try PlanFixture.request(declining)
        #expect(request.settings.headers.map(\.name.value) == ["X-E"])
        #expect(request.filters.count == 1)
        #expect(request.settings.expect.body.count == 2)
    }

    @Test func `a standalone request inherits nothing from defaults, service, graph and enclosing steps`() throws {
        let alone = manifest.replacing("timeout: 2s", with: "baseURL: http://127.0.0.1:2\n    standalone: true")
        let request = try PlanFixture.request(alone)
        #expect(request.settings.headers.map(\.name.value) == [String]())
        #expect(request.filters.count == 1)
        #expect(request.settings.timeout == nil)
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
        #expect(!settings.headers.contains { $0.name.value == "X-D" })
        #expect(settings.timeout?.level == .endpoint("e"))
    }
}
