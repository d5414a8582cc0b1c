import OrderedCollections
import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillTestSupport

@testable import WaybillPlan

@Suite(.timeLimit(.minutes(5))) struct CascadeTraceTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    private static let manifests = ["/Tests/Manifests/every-setting.yaml", "/manifests/accounts.yaml"]

    @Test(arguments: manifests)
    func `the settings that the trace marks as used are those of the request`(manifest: String) throws {
        let manifest = try #require(ManifestLoader().load(Self.root + manifest).manifest)
        for environment in [nil, "staging"] {
            let checked = PlanBuilder.check(manifest, environment: environment)
            for name in manifest.endpoints.keys {
                let found = PlanBuilder.endpoint(named: name, in: checked)
                let cascade = try #require(found.endpoint)
                let used = cascade.settings.filter { traced in
                    if case .used = traced.effect { !traced.setting.value.isUnset } else { false }
                }
                #expect(Set(used.map(\.setting.span)) == Set(cascade.request.settings.entries.map(\.span)))
                #expect(used.count == cascade.request.settings.entries.count)
            }
        }
    }
}
