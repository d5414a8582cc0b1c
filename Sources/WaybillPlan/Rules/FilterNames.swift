import OrderedCollections
import WaybillDiagnostics
import WaybillManifest
import WaybillSchema

/// A filter that is named must exist, no filter may contain itself, and the nesting of filters is limited, like that of
/// aliases.
struct FilterNames: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        var diagnostics: [Diagnostic] = []
        let ofSettings = subject.settings.lazy.flatMap { $0.filters }
        let all = manifest.filters.values.flatMap(\.value) + ofSettings
        for name in all.compactMap(\.value.name)
        where manifest.filters[name.value] == nil && !manifest.unknown.mayDefine(name.value, in: .filters) {
            diagnostics.append(.unknown("filter", name, among: manifest.filters.keys))
        }
        return diagnostics + nesting(in: manifest)
    }

    /// The maximum nesting depth of filters.
    private static let maximumDepth = 100
    /// The maximum number of stages of a filter, including those of the filters in it.
    private static let maximumStages = 10_000

    /// Checks the paths from filter to filter.
    private func nesting(in manifest: Manifest) -> [Diagnostic] {
        let filters = manifest.filters
        let uses = filters.values.map { $0.value.compactMap(\.value.name).filter { filters[$0.value] != nil } }
        let inner = uses.map { $0.compactMap { filters.index(forKey: $0.value) } }
        let dependencies = DependencyOrder(inner)
        var diagnostics = dependencies.cycles.map { cycle in
            let name = uses[cycle.last][cycle.edge]
            let names = (cycle.nodes.map { filters.keys[$0] } + [name.value]).joined(separator: " → ")
            return Diagnostic("filter-cycle", "this filter contains itself: \(names)", at: name.span)
        }
        func report(_ message: String, at name: Spanned<String>) -> [Diagnostic] {
            // A filter that contains one that exceeds a limit exceeds it too: one diagnostic is enough.
            let help = "Put the stages into one filter, or name fewer filters in it."
            diagnostics.report("filter-nesting", message, at: name.span, help: [help])
            return diagnostics
        }
        // The number of filters around each one, including itself: those around it come first.
        var levels = [Int](repeating: 1, count: filters.count)
        for filter in dependencies.order.reversed() {
            for (name, other) in zip(uses[filter], inner[filter]) {
                guard levels[filter] < Self.maximumDepth else {
                    return report("filters are nested more than \(Self.maximumDepth) levels deep", at: name)
                }
                levels[other] = max(levels[other], levels[filter] + 1)
            }
        }
        var stages = [Int](repeating: 0, count: filters.count)
        for filter in dependencies.order {
            let own = filters.values[filter].value.count { $0.value.name == nil }
            stages[filter] = inner[filter].reduce(own) { $0 + stages[$1] }
            if stages[filter] > Self.maximumStages, let name = uses[filter].last {
                return report("filter '\(filters.keys[filter])' has more than \(Self.maximumStages) stages", at: name)
            }
        }
        return diagnostics
    }
}

extension FilterEntry {
    /// The name, if the entry names a filter.
    fileprivate var name: Spanned<String>? {
        if case .named(let name, _) = self { name } else { nil }
    }
}
