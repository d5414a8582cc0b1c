import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// Steps, and keys of steps, must be where they have a meaning.
struct StepLocations: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        for graph in subject.manifest.graphs.values where graph.value.body.order == .chain {
            if !graph.value.unknown.contains(.steps), let limit = graph.value.settings.concurrency {
                diagnostics.append(misplaced(limit, "the steps of a chain run one after another"))
            }
        }
        if let declined = subject.manifest.defaults.declined.first {
            diagnostics.report(
                "misplaced-key",
                "'inherit' has no meaning here: there is no outer level",
                at: declined.span
            )
        }
        let senders = Senders(subject)
        for graph in subject.graphs where !senders.sends(graph) {
            diagnostics += graph.definition.value.settings.withoutRequests("this graph sends no request")
        }
        for site in subject.steps {
            let step = site.step
            if site.callee != nil || !site.steps.isEmpty, !senders.sends(site) {
                diagnostics += step.settings.withoutRequests("no step inside this one sends a request")
            }
            guard !step.unknown.contains(anyOf: [.form, .loop, .steps]) else { continue }
            if case .end = step.action, !site.isInChain {
                diagnostics.report(
                    "misplaced-end",
                    "'end' is valid only as a step of a chain",
                    at: step.span,
                    help: ["Move it into a chain, or give the steps that depend on it a 'when'."]
                )
            }
            if let limit = step.settings.concurrency, !step.isBatch {
                diagnostics.append(misplaced(limit, of: step))
            }
            if let until = step.flow?.until, !step.isRequest { diagnostics += uses(ofDataIn: until, of: step) }
        }
        return diagnostics
    }

    private func misplaced(_ limit: Setting<Int>, of step: Step) -> Diagnostic {
        if step.flow?.forEach != nil {
            var diagnostic = misplaced(limit, "here the elements run concurrently")
            diagnostic.help = ["Write it inside 'forEach'."]
            return diagnostic
        }
        if case .group = step.action { return misplaced(limit, "the steps of a chain run one after another") }
        return misplaced(limit, "this is one step")
    }

    private func misplaced(_ limit: Setting<Int>, _ reason: String) -> Diagnostic {
        Diagnostic("misplaced-key", "'concurrency' has no meaning here: \(reason)", at: limit.span)
    }

    /// Reports names in the condition of `until` that only requests have.
    private func uses(ofDataIn until: Until, of step: Step) -> [Diagnostic] {
        [until.that, until.fail?.when].compactMap { $0 }.compactMap { condition in
            let reference = condition.references.first { ["$", "response", "request"].contains($0.name) }
            return reference.map {
                Diagnostic(
                    "unknown-name",
                    "'\($0.name)' is not available here",
                    at: condition.span(of: $0.nameRange),
                    help: [
                        "A \(step.form.rawValue) has no response; move 'until' to the step that sends the request."
                    ]
                )
            }
        }
    }
}

/// The graphs and steps that send requests, themselves or through what is inside them.
private struct Senders {
    private var graphs: Set<String> = []

    init(_ subject: RuleSubject) {
        var callers: [String: [String]] = [:]
        for graph in subject.graphs {
            let name = graph.definition.name.value
            if graph.definition.value.unknown.contains(.steps) || graph.all.contains(where: sends) {
                graphs.insert(name)
            }
            for case .graph(let call) in graph.all.map(\.step.action) {
                callers[call.name.value, default: []].append(name)
            }
        }
        var waiting = Array(graphs)
        while let graph = waiting.popLast() {
            waiting += (callers[graph] ?? []).filter { graphs.insert($0).inserted }
        }
    }

    func sends(_ graph: GraphSite) -> Bool { graphs.contains(graph.definition.name.value) }

    func sends(_ site: StepSite) -> Bool {
        if site.callsUnknown || site.step.unknown.contains(.steps) || site.step.isRequest { return true }
        if case .graph(let call) = site.step.action { return graphs.contains(call.name.value) }
        return site.steps.contains(where: sends)
    }
}

extension Settings {
    /// Returns errors for the settings, which only have an effect on requests.
    fileprivate func withoutRequests(_ reason: String) -> [Diagnostic] {
        var seen: Set = [ConcurrencySetting.key, TagSetting.key]
        let settings = entries.filter { seen.insert($0.value.key).inserted }
        return (settings.map { ($0.value.key, $0.span) } + declined.prefix(1).map { ("inherit", $0.span) })
            .map { Diagnostic("misplaced-key", "'\($0)' has no meaning here: \(reason)", at: $1) }
    }
}

extension StepSite {
    /// Whether the step is part of a chain.
    fileprivate var isInChain: Bool {
        if let group = around.last { return !group.isBatch }
        return !isFinal && graph.value.body.order == .chain
    }
}

extension Step {
    fileprivate var isBatch: Bool {
        if case .group(let group) = action { group.order == .batch } else { false }
    }
}
