import OrderedCollections
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan

/// The locations of all values that the selected environment sets, to determine whether a value comes from there.
struct EnvironmentLocations: Sendable {
    /// The name of the environment; `nil` if none was selected.
    let name: String?
    private var spans: Set<SourceSpan> = []

    /// Collects the locations of the values that the environment of a manifest changes.
    init(of checked: ResolvedManifest) {
        name = checked.environment
        guard let environment = checked.environmentChanges else { return }
        insert(environment.defaults)
        for (_, service) in environment.services {
            insert(service.settings)
            if let session = service.session { spans.insert(session.span) }
        }
        for (_, value) in environment.inputs { spans.insert(value.span) }
        for (_, secret) in environment.secrets { spans.insert(secret.span) }
    }

    /// Returns the name of the environment if it sets the value at a location.
    func environment(at span: SourceSpan) -> String? { spans.contains(span) ? name : nil }

    private mutating func insert(_ settings: Settings) {
        for entry in settings.entries { spans.insert(entry.span) }
        for name in settings.declined { spans.insert(name.span) }
    }
}
