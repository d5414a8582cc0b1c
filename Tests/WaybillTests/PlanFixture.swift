import Testing
import WaybillDiagnostics
import WaybillPlan
import WaybillTestSupport

@testable import Waybill

/// Plans made from text.
enum PlanFixture {
    /// The plan of a manifest.
    static func description(_ text: String, options: PlanOptions = PlanOptions()) throws -> PlanDescription {
        let folder = TemporaryFolder()
        let path = folder.write("waybill: 1\n" + text, to: "manifest.yaml")
        let stage = try Pipeline().describedPlan(path, options: options)
        return try #require(stage.value, "\(HumanRenderer().document(for: stage.diagnostics))")
    }

    /// Every format.
    static let printers: [any PlanPrinter] = [
        TextPlanPrinter(), TextPlanPrinter(colour: true), JSONPlanPrinter(), MermaidPlanPrinter(),
        GraphvizPlanPrinter(),
    ]
}
