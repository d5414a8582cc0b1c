import Testing
import WaybillDiagnostics
import WaybillPlan

@Suite struct DataFlowTests {
    /// The ids of the findings for a graph of steps that are given as flow mappings.
    private func findings(_ body: String) throws -> [String] {
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
            ("unknown steps are found", ["unknown-step"], "{get: \"/${steps.x.status}\"}"),
            ("unknown fields are found", ["unknown-field"], "{id: a, get: /a}, {get: \"/${steps.a.stat}\"}"),
            (
                "unknown outputs are found", ["unknown-output"],
                "{id: a, get: /a, outputs: {x: $.x}}, {get: \"/${steps.a.outputs.y}\"}"
            ),
        ] as [(String, [String], String)]
    )
    func `steps are used only where they have surely run`(case name: String, ids: [String], chain: String) throws {
        #expect(try findings("    chain: [\(chain)]") == ids, "\(name)")
    }

    @Test func `steps of a batch do not see each other`() throws {
        let body = "    batch: [{id: a, get: /a}, {id: b, get: \"/${steps.a.status}\"}]"
        #expect(try findings(body) == ["step-not-run"])
    }

    @Test func `outputs of a graph see all of its steps`() throws {
        let body = "    batch: [{id: a, get: /a}]\n    outputs: {x: steps.a.data}"
        #expect(try findings(body) == [])
    }
}
