import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest
import WaybillSchema

/// A filter that is named must exist, no filter may contain or apply itself, and the nesting of filters is limited, like
/// that of aliases.
struct FilterNames: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        var diagnostics: [Diagnostic] = []
        let ofSettings = subject.settings.lazy.flatMap { $0.filters }
        let all = manifest.filters.values.flatMap(\.value) + ofSettings
        for name in all.compactMap(\.value.name) + subject.references.appliedFilters
        where manifest.filters[name.value] == nil && !manifest.unknown.mayDefine(name.value, in: .filters) {
            diagnostics.append(.unknown("filter", name, among: manifest.filters.keys))
        }
        return diagnostics + nesting(in: manifest) + inapplicable(subject)
    }

    /// A filter that is applied to a value has no response to read.
    private func inapplicable(_ subject: RuleSubject) -> [Diagnostic] {
        var uses: [String: (name: String, span: SourceSpan)] = [:]
        for name in Set(subject.references.appliedFilters.map(\.value)) {
            let visitor = UseVisitor { use in
                for reference in use.text.references where !Self.namesWithoutResponse.contains(reference.root) {
                    uses[name] = uses[name] ?? (reference.name, use.text.span(of: reference.range))
                }
            }
            for stage in subject.manifest.stages(ofFilter: name) { stage.visitUses(visitor) }
        }
        return subject.references.appliedFilters.compactMap { name in
            guard let use = uses[name.value] else { return nil }
            return Diagnostic(
                "inapplicable-filter",
                "filter '\(name.value)' cannot be applied to a value, because it uses '\(use.name)'",
                at: name.span,
                secondary: [.init(use.span, "used here")],
                help: ["Such a filter can use only '$', 'item', 'inputs', 'manifest', 'data' and 'run'."]
            )
        }
    }

    /// The names that do not depend on a request, its response or its service.
    private static let namesWithoutResponse: Set<Reference.Root?> = [
        .document, .item, .inputs, .manifest, .data, .run,
    ]

    /// The maximum nesting depth of filters, so that no filter exhausts the stack.
    private static let maximumDepth = 100
    /// The levels that an `apply()` counts as: expressions around it may be nested, too.
    private static let levelsOfApplication = 10
    /// The maximum number of stages of a filter, including those of the filters in it.
    private static let maximumStages = 10_000

    /// Checks the paths from filter to filter.
    private func nesting(in manifest: Manifest) -> [Diagnostic] {
        let filters = manifest.filters
        let applied = filters.values.map {
            $0.value.flatMap(\.value.appliedFilters).filter { filters[$0.value] != nil }
        }
        let uses = zip(filters.values, applied).map { filter, applied in
            filter.value.compactMap(\.value.name).filter { filters[$0.value] != nil } + applied
        }
        let inner = uses.map { $0.compactMap { filters.index(forKey: $0.value) } }
        let dependencies = DependencyOrder(inner)
        var diagnostics = dependencies.cycles.map { cycle in
            let name = uses[cycle.last][cycle.edge]
            let names = (cycle.nodes.map { filters.keys[$0] } + [name.value]).joined(separator: " → ")
            return Diagnostic(
                "filter-cycle",
                "this filter contains itself: \(names)",
                at: name.span,
                help: ["Remove '\(name.value)' here, or put the stages that both need into another filter."]
            )
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
            let named = uses[filter].count - applied[filter].count
            for (index, (name, other)) in zip(uses[filter], inner[filter]).enumerated() {
                let level = levels[filter] + (index < named ? 1 : Self.levelsOfApplication)
                guard level <= Self.maximumDepth else {
                    let words = index < named ? "" : " (an apply() counts as \(Self.levelsOfApplication))"
                    return report("filters are nested more than \(Self.maximumDepth) levels deep\(words)", at: name)
                }
                levels[other] = max(levels[other], level)
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

    /// The filters that expressions in the entry apply to values.
    fileprivate var appliedFilters: [Spanned<String>] {
        var names: [Spanned<String>] = []
        visitUses(UseVisitor { names += $0.text.filterNames })
        return names
    }
}
