import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A filter that is named exists, and no filter is made of itself.
struct FilterNames: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        var diagnostics: [Diagnostic] = []
        let ofSettings = subject.settings.lazy.filter { $0.has(.filters) }.flatMap(\.filters)
        let all = manifest.filters.values.flatMap(\.value) + ofSettings
        for name in all.compactMap(\.value.name)
        where manifest.filters[name.value] == nil && !manifest.unknown.mayDefine(name.value, in: .filters) {
            diagnostics.append(.unknown("filter", name, among: manifest.filters.keys))
        }
        return diagnostics + cycles(in: manifest)
    }

    private func cycles(in manifest: Manifest) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        var done: Set<String> = []
        var path: [String] = []

        func visit(_ filter: String) {
            guard let entries = manifest.filters[filter]?.value, !done.contains(filter) else { return }
            path.append(filter)
            for name in entries.compactMap(\.value.name) {
                if let start = path.firstIndex(of: name.value) {
                    let way = (path[start...] + [name.value]).joined(separator: " → ")
                    diagnostics.append(
                        Diagnostic("filter-cycle", "this filter is made of itself: \(way)", at: name.span)
                    )
                } else if path.count < 100 {
                    visit(name.value)
                }
            }
            path.removeLast()
            done.insert(filter)
        }
        for name in manifest.filters.keys { visit(name) }
        return diagnostics
    }
}

extension FilterEntry {
    /// The name, if the entry is one.
    fileprivate var name: Spanned<String>? {
        if case .named(let name, _) = self { name } else { nil }
    }
}
