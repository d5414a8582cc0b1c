import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// The results of earlier steps that the remaining steps need, and that the journal does not contain.
struct ResumeNeeds {
    /// Why a step runs again.
    struct Repeat {
        /// The result that is needed, for messages: `its output 'token'`.
        var what: String
        /// The location of what needs it.
        var span: SourceSpan
        /// The elements that run again; empty if the whole step does.
        var elements: Set<Int> = []
    }

    /// The nodes that run again.
    private(set) var repeated: [Int: Repeat] = [:]
    /// Cookies that nothing sets again.
    private(set) var lostCookies: [ResumeDecision.LostCookies] = []
    /// See `ResumeDecision`.
    private(set) var omittedOutputs: Set<String> = []
    /// See `ResumeDecision`.
    private(set) var cookieServices: [String: Set<String>] = [:]

    /// A value of a step that an expression uses.
    private struct Use {
        var target: Int
        var value: ResumeValue
        var span: SourceSpan
    }

    /// Outputs of graphs that something needs, by the node that runs the graph.
    private var neededOutputs: [Int: Set<String>] = [:]
    private var waiting: [Use] = []
    /// How many of the nodes have been visited.
    private var visited = 0

    init(_ nodes: inout ResumeNodes, _ earlier: EarlierSteps) {
        for result in nodes.results { for output in result.outputs { need(output, in: result.scope, nodes) } }
        repeat {
            visitNew(nodes)
            while let use = waiting.popLast() { need(use, &nodes) }
        } while visited < nodes.all.count || repeatValues(&nodes) || repeatForCookies(&nodes)
        noteLostCookies(nodes, earlier)
        noteOmittedOutputs(nodes)
    }

    // MARK: Values

    /// Visits the remaining steps that have not been visited, and notes what they use.
    private mutating func visitNew(_ nodes: ResumeNodes) {
        while visited < nodes.all.count {
            if case .remaining = nodes[visited].state { visit(nodes[visited]) }
            visited += 1
        }
    }

    private mutating func visit(_ node: ResumeNode) {
        var found: [Use] = []
        node.step.visitOwnUses(
            UseVisitor { use in found += Self.uses(in: use.text, of: node.scope, at: node.step.span) }
        )
        waiting += found
    }

    private mutating func need(_ output: OutputDefinition, in scope: ResumeScope, _ nodes: ResumeNodes) {
        waiting += Self.uses(of: output, in: scope)
    }

    private static func uses(of output: OutputDefinition, in scope: ResumeScope) -> [Use] {
        var found: [Use] = []
        output.visitUses(
            UseVisitor { found += uses(in: $0.text, of: scope, at: output.name.span) },
            .end,
            .result
        )
        return found
    }

    private static func uses(in text: any EvaluatedText, of scope: ResumeScope, at span: SourceSpan) -> [Use] {
        text.references.filter { $0.root == .steps }.flatMap { reference -> [Use] in
            guard let id = reference.segments.first?.name else {
                return scope.all.map { Use(target: $0, value: .everything, span: span) }
            }
            return scope.node(id).map { [Use(target: $0, value: ResumeValue(reference), span: span)] } ?? []
        }
    }

    private mutating func need(_ use: Use, _ nodes: inout ResumeNodes) {
        let node = nodes[use.target]
        switch node.state {
        case .taken(let earlier):
            guard let lost = use.value.lost(among: earlier.losses.values) else { return }
            repeatStep(use.target, Repeat(what: lost, span: use.span), &nodes)
        case .remaining(let elements):
            if use.value.isOfElements {
                let lossy = elements.filter { use.value.lost(among: $0.value.losses.values) != nil }
                if !lossy.isEmpty {
                    repeated[use.target] = Repeat(what: "their values", span: use.span, elements: Set(lossy.keys))
                }
            }
            guard let graph = node.graph else { return }
            for output in graph.outputs where use.value.includes(output: output.name.value) {
                guard neededOutputs[use.target, default: []].insert(output.name.value).inserted else { continue }
                need(output, in: graph.scope, nodes)
            }
        }
    }

    private mutating func repeatStep(_ index: Int, _ reason: Repeat, _ nodes: inout ResumeNodes) {
        repeated[index] = reason
        nodes.repeatStep(index)
        visit(nodes[index])
    }

    /// Evaluates the values again that use results of steps that run again, or inputs of a graph, which may be computed
    /// from such results; returns whether there are any. Values send nothing.
    private mutating func repeatValues(_ nodes: inout ResumeNodes) -> Bool {
        var found = false
        for index in nodes.all.indices {
            let node = nodes[index]
            guard case .taken = node.state, case .values = node.step.work else { continue }
            var usesInputs = false
            var uses: [Use] = []
            node.step.visitOwnUses(
                UseVisitor { use in
                    usesInputs = usesInputs || use.text.references.contains { $0.root == .inputs }
                    uses += Self.uses(in: use.text, of: node.scope, at: node.step.span)
                }
            )
            guard usesInputs || uses.contains(where: { nodes[$0.target].isRemaining }) else { continue }
            repeatStep(index, Repeat(what: "its values", span: node.step.span), &nodes)
            found = true
        }
        return found
    }

    // MARK: Cookies

    /// The highest level of the remaining requests that receive cookies which are lost, by host; `nil` stands for an
    /// unknown host.
    private func lastRequests(_ nodes: ResumeNodes) -> [String?: Int] {
        var levels: [String?: Int] = [:]
        for node in nodes.all {
            guard case .remaining = node.state, let request = node.request, request.usesOwnJar
            else { continue }
            levels[request.knownHost] = max(levels[request.knownHost] ?? 0, node.level)
        }
        return levels
    }

    private static func areNeeded(_ domains: Set<String>, from level: Int, _ last: [String?: Int]) -> Bool {
        guard !domains.isEmpty else { return false }
        return last.contains { host, last in last >= level && domains.contains { CookieDomain.isSent($0, to: host) } }
    }

    /// Repeats the steps whose cookies later requests need; returns whether there are any.
    private mutating func repeatForCookies(_ nodes: inout ResumeNodes) -> Bool {
        let last = lastRequests(nodes)
        var found = false
        for index in nodes.all.indices {
            let node = nodes[index]
            guard case .taken(let earlier) = node.state,
                Self.areNeeded(earlier.losses.cookies, from: node.level + 1, last)
            else {
                continue
            }
            repeatStep(index, Repeat(what: "its cookies, which later requests need", span: node.step.span), &nodes)
            found = true
        }
        return found
    }

    private mutating func noteLostCookies(_ nodes: ResumeNodes, _ earlier: EarlierSteps) {
        let last = lastRequests(nodes)
        for (index, node) in nodes.all.enumerated() where repeated[index] == nil {
            var domains = node.pageCookies
            var what = "pages"
            switch node.state {
            case .taken(let earlier): domains = earlier.elementCookies
            case .remaining(let elements):
                for element in elements.values { domains.formUnion(element.losses.cookies) }
            }
            if node.step.flow?.forEach != nil { what = "elements" }
            guard Self.areNeeded(domains, from: node.level, last) else { continue }
            let message =
                "the cookies that \(what) of step '\(node.path)' set before the run was resumed are lost: later requests are "
                + "sent without them"
            lostCookies.append(.init(step: node.path, message: message, span: node.step.span))
        }
        for (service, domains) in earlier.sessionCookies where Self.areNeeded(domains, from: 0, last) {
            cookieServices[service] = domains
        }
    }

    // MARK: Outputs

    private mutating func noteOmittedOutputs(_ nodes: ResumeNodes) {
        // The steps of a graph come after the step that runs it: the innermost graphs are first here.
        for (index, node) in nodes.all.enumerated().reversed() {
            for output in node.graph?.outputs ?? [] {
                let name = output.name.value
                guard let scope = node.graph?.scope, neededOutputs[index]?.contains(name) != true else { continue }
                let isMissing = Self.uses(of: output, in: scope).contains { use in
                    let target = nodes[use.target]
                    switch target.state {
                    case .taken(let earlier): return use.value.lost(among: earlier.losses.values) != nil
                    case .remaining:
                        return (target.graph?.outputs ?? []).contains {
                            use.value.includes(output: $0.name.value)
                                && omittedOutputs.contains("\(target.path).\($0.name.value)")
                        }
                    }
                }
                if isMissing { omittedOutputs.insert("\(node.path).\(name)") }
            }
        }
    }
}

/// The part of a step that an expression uses, as in `steps.login.outputs.token`.
private enum ResumeValue {
    case everything
    case field(String, name: String?)

    init(_ reference: Reference) {
        let path = reference.segments.dropFirst()
        guard let field = path.first?.name else {
            self = .everything
            return
        }
        self = .field(field, name: path.dropFirst().first?.name)
    }

    /// Whether elements of a `forEach` are used.
    var isOfElements: Bool {
        switch self {
        case .everything: true
        case .field(let field, _): field == "items"
        }
    }

    func includes(output: String) -> Bool {
        switch self {
        case .everything: true
        case .field(let field, let name): field == "outputs" && (name ?? output) == output
        }
    }

    /// Describes the used values that are lost, for a message; `nil` if none is lost. `lost` has names such as
    /// `outputs.token`.
    func lost(among lost: Set<String>) -> String? {
        switch self {
        case .everything: return lost.isEmpty ? nil : "all of its values"
        case .field("items", _): return lost.isEmpty ? nil : "its items"
        case .field(let field, let name):
            if lost.contains(field) { return "its \(field)" }
            guard let name else { return lost.contains { $0.hasPrefix(field + ".") } ? "all of its \(field)" : nil }
            let full = field == "headers" ? "headers.\(name.lowercased())" : "\(field).\(name)"
            guard lost.contains(full) else { return nil }
            return field == "outputs" ? "its output '\(name)'" : "its \(field) '\(name)'"
        }
    }
}
