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
        var nesting = FilterNesting(manifest)
        nesting.check()
        return diagnostics + nesting.diagnostics
    }
}

/// A traversal of the filters that filters name.
private struct FilterNesting {
    /// The maximum nesting depth of filters.
    static let maximumDepth = 100
    /// The maximum number of stages of a filter, including those of the filters in it.
    static let maximumStages = 10_000

    /// The depth and the stages of a filter, including the filters in it.
    private struct Extent {
        var depth = 1
        var stages = 0
    }

    private(set) var diagnostics: [Diagnostic] = []
    private let manifest: Manifest
    private var extents: [String: Extent] = [:]
    /// The filters that contain the current one, the outermost first.
    private var path: [String] = []
    private var hasExceeded = false

    init(_ manifest: Manifest) {
        self.manifest = manifest
    }

    mutating func check() {
        // A filter that contains one that exceeds a limit exceeds it too: one diagnostic is enough.
        for name in manifest.filters.keys where !hasExceeded { _ = extent(of: name) }
    }

    private mutating func extent(of filter: String) -> Extent {
        if let known = extents[filter] { return known }
        guard let entries = manifest.filters[filter]?.value else { return Extent() }
        var extent = Extent()
        path.append(filter)
        for entry in entries where !hasExceeded {
            guard let name = entry.value.name else {
                extent.stages += 1
                continue
            }
            if let start = path.firstIndex(of: name.value) {
                let cycle = (path[start...] + [name.value]).joined(separator: " → ")
                diagnostics.report("filter-cycle", "this filter contains itself: \(cycle)", at: name.span)
                continue
            }
            guard path.count < Self.maximumDepth else {
                exceed("filters are nested more than \(Self.maximumDepth) levels deep", at: name)
                break
            }
            let inner = self.extent(of: name.value)
            extent.depth = max(extent.depth, inner.depth + 1)
            extent.stages += inner.stages
            if extent.depth > Self.maximumDepth {
                exceed("filters are nested more than \(Self.maximumDepth) levels deep", at: name)
            } else if extent.stages > Self.maximumStages {
                exceed("filter '\(filter)' has more than \(Self.maximumStages) stages", at: name)
            }
        }
        path.removeLast()
        extents[filter] = extent
        return extent
    }

    private mutating func exceed(_ message: String, at name: Spanned<String>) {
        guard !hasExceeded else { return }
        hasExceeded = true
        diagnostics.report(
            "filter-nesting",
            message,
            at: name.span,
            help: ["Put the stages into one filter, or name fewer filters in it."]
        )
    }
}

extension FilterEntry {
    /// The name, if the entry names a filter.
    fileprivate var name: Spanned<String>? {
        if case .named(let name, _) = self { name } else { nil }
    }
}
