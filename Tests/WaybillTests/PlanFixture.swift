import Testing
import WaybillDiagnostics
import WaybillPlan
import WaybillTestSupport

@testable import Waybill
@testable import WaybillPlanPrinting

/// Builds plans from manifests in strings.
enum PlanFixture {
    /// The plan of a manifest.
    static func description(
        _ text: String,
        environment: String? = nil,
        options: PlanOptions = PlanOptions()
    ) throws -> PlanDescription {
        let folder = TemporaryFolder()
        let path = folder.write("waybill: 1\n" + text, to: "manifest.yaml")
        let stage = try description(of: path, environment: environment, options: options)
        return try #require(stage.value, "\(HumanRenderer().document(for: stage.diagnostics))")
    }

    /// The plan of the manifest at a path.
    static func description(
        of path: String,
        environment: String? = nil,
        options: PlanOptions = PlanOptions()
    ) throws -> Pipeline.Stage<PlanDescription> {
        let pipeline = try Pipeline()
        return pipeline.check(pipeline.load(path), environment: environment).then { checked in
            Pipeline.plan(checked, options).map { PlanDescription($0, of: checked, options: options) }
        }
    }

    /// The printers of all formats.
    static let printers: [any PlanPrinter] = [
        TextPlanPrinter(), TextPlanPrinter(colour: true), JSONPlanPrinter(), MermaidPlanPrinter(),
        GraphvizPlanPrinter(),
    ]
}
