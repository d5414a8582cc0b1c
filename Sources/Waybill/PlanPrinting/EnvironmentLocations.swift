import OrderedCollections
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan

/// The places of everything that the chosen environment says, so that of any value it can be told whether it comes from
/// there.
struct EnvironmentLocations: Sendable {
    /// The environment's name; `nil` where none was chosen.
    let name: String?
    private var spans: Set<SourceSpan> = []

    /// The locations of the values that the environment of a manifest changes.
    init(of checked: ResolvedManifest) {
        name = checked.environment
        guard let environment = checked.environmentChanges else { return }
        insert(environment.defaults)
        for (_, service) in environment.services {
            insert(service.settings)
            if let session = service.session { spans.insert(session.span) }
        }
        for (_, value) in environment.inputs { spans.insert(value.span) }
        for (_, secret) in environment.secrets { spans.insert(secret.environmentVariable.span) }
    }

    /// The environment's name if it says what stands at a place.
    func environment(at span: SourceSpan) -> String? { spans.contains(span) ? name : nil }

    private mutating func insert(_ settings: Settings) {
        for entry in settings.entries { spans.insert(entry.span) }
        for name in settings.declined { spans.insert(name.span) }
    }
}
