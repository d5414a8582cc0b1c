import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A graph that a step runs exists, and no graph runs itself, directly or by way of others.
struct GraphNames: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        var diagnostics: [Diagnostic] = []
        var calls: [String: [Spanned<String>]] = [:]
        subject.forEachStep { site in
            guard case .graph(let call) = site.step.action, !site.step.unknown.contains(.form) else { return }
            if site.callsUnknown {
                guard !manifest.unknown.mayDefine(call.name.value, in: .graphs) else { return }
                let isEndpoint = manifest.endpoints[call.name.value] != nil
                let help = isEndpoint ? ["'\(call.name.value)' is an endpoint; use 'call'."] : []
                diagnostics.append(.unknown("graph", call.name, among: manifest.graphs.keys, help: help))
            } else {
                calls[site.graph.name.value, default: []].append(call.name)
            }
        }
        return diagnostics + cycles(calls, in: manifest)
    }

    private func cycles(_ calls: [String: [Spanned<String>]], in manifest: Manifest) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        var done: Set<String> = []
        for name in manifest.graphs.keys where !done.contains(name) {
            // A walk without recursion: graphs may be nested as deep as there are graphs.
            var path: [(name: String, next: Int)] = [(name, 0)]
            while let (current, next) = path.last {
                guard let call = calls[current]?.dropFirst(next).first else {
                    done.insert(current)
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                if let start = path.firstIndex(where: { $0.name == call.value }) {
                    let way = (path[start...].map(\.name) + [call.value]).joined(separator: " → ")
                    diagnostics.append(
                        Diagnostic("graph-cycle", "this graph would run itself without end: \(way)", at: call.span)
                    )
                } else if !done.contains(call.value) {
                    path.append((call.value, 0))
                }
            }
        }
        return diagnostics
    }
}
