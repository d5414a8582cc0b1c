import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A filter that is named must exist, no filter may contain itself, and the nesting of filters is limited, like that of
/// aliases.
struct FilterNames: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        var diagnostics: [Diagnostic] = []
        let ofSettings = subject.settings.lazy.filter { $0.has(FilterEntry.key) }.flatMap(\.filters)
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
        var depths = [Int](repeating: 0, count: filters.count)
        var stages = depths
        for filter in dependencies.order {
            depths[filter] = 1 + (inner[filter].map { depths[$0] }.max() ?? 0)
            let own = filters.values[filter].value.count { $0.value.name == nil }
            stages[filter] = inner[filter].reduce(own) { $0 + stages[$1] }
            guard let name = uses[filter].last else { continue }
            let isTooDeep = depths[filter] > Self.maximumDepth
            if isTooDeep || stages[filter] > Self.maximumStages {
                // A filter that contains one that exceeds a limit exceeds it too: one diagnostic is enough.
                diagnostics.report(
                    "filter-nesting",
                    isTooDeep
                        ? "filters are nested more than \(Self.maximumDepth) levels deep"
                        : "filter '\(filters.keys[filter])' has more than \(Self.maximumStages) stages",
                    at: name.span,
                    help: ["Put the stages into one filter, or name fewer filters in it."]
                )
                break
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
