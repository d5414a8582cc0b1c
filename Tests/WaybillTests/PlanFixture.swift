import Testing
import WaybillDiagnostics
import WaybillPlan
import WaybillTestSupport

@testable import WaybillPipeline
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
        let pipeline = Pipeline()
        return pipeline.check(pipeline.load(path), environment: environment).then { checked in
            Pipeline.plan(checked, options).map { PlanDescription($0, of: checked, options: options) }
        }
    }

    /// The documents of all formats.
    static let documents: [@Sendable (PlanDescription) -> String] = [
        { $0.text() }, { $0.text(colour: true) }, { $0.jsonDocument }, { $0.mermaid }, { $0.graphviz },
    ]
}
