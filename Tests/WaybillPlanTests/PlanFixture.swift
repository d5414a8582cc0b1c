import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillTestSupport

/// Plans made from text.
enum PlanFixture {
    /// The plan of a manifest, or its findings.
    static func plan(
        _ text: String,
        options: PlanOptions = PlanOptions()
    ) throws -> (plan: Plan?, diagnostics: [Diagnostic]) {
        let folder = TemporaryFolder()
        let path = folder.write("waybill: 1\n" + text, to: "manifest.yaml")
        let (manifest, diagnostics) = try ManifestLoader().load(path)
        guard let manifest else { return (nil, diagnostics) }
        let (plan, findings) = PlanBuilder.plan(manifest, options: options)
        return (plan, diagnostics + findings)
    }

    /// The only request of the plan of a manifest.
    static func request(_ text: String) throws -> RequestPlan {
        let (plan, diagnostics) = try plan(text)
        let rendered = HumanRenderer().render(diagnostics)
        return try #require(plan?.graphs.first?.body.requests.first?.request, "\(rendered)")
    }
}
