import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillTestSupport

/// Builds plans from manifests in strings.
enum PlanFixture {
    /// The plan of a manifest, or its diagnostics.
    static func plan(
        _ text: String,
        environment: String? = nil,
        options: PlanOptions = PlanOptions(),
        allowsOutside: Bool = false
    ) throws -> (plan: Plan?, diagnostics: [Diagnostic]) {
        let folder = TemporaryFolder()
        let path = folder.write("waybill: 1\n" + text, to: "manifest.yaml")
        let loaded = ManifestLoader().load(path)
        guard let manifest = loaded.manifest else { return (nil, loaded.diagnostics) }
        let checked = PlanBuilder.check(manifest, environment: environment, allowsOutside: allowsOutside)
        let diagnostics = loaded.diagnostics + checked.diagnostics
        guard !diagnostics.hasErrors else { return (nil, diagnostics) }
        let (plan, ofPlan) = PlanBuilder.plan(checked, options: options)
        return (plan, diagnostics + ofPlan)
    }

    /// The only request in the plan of a manifest.
    static func request(_ text: String) throws -> RequestPlan {
        let (plan, diagnostics) = try plan(text)
        let rendered = HumanRenderer().render(diagnostics)
        return try #require(plan?.graphs.first?.body.requests.first?.request, "\(rendered)")
    }
}
