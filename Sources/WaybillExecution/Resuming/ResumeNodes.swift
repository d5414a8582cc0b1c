import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// An instance of a step, as a resumed run finds it.
struct ResumeNode {
    /// What happened to it in the earlier run.
    enum State {
        /// It passed, or its failure was tolerated, and the journal does not contain some of its values.
        case taken(EarlierStep)
        /// It has yet to run, or runs again. Some of its elements may have passed.
        case remaining(elements: [Int: EarlierElements.Element])
    }

    var path: String
    var step: StepPlan
    /// The steps that its expressions see.
    var scope: ResumeScope
    /// What happened to it in the earlier run.
    var state: State
    /// The method of its request, if it passed.
    var pastMethod: String?
    /// The minimum number of steps that run before it: a step that runs after another has a higher level.
    var level: Int
    /// The outputs of the graph that it runs, and the steps that their expressions see.
    var graph: (outputs: [OutputDefinition], scope: ResumeScope)?
    /// The domains for which its pages set cookies in the earlier run.
    var pageCookies: Set<String> = []
    /// Whether it received pages and starts with the first one again.
    var mustRestartPages = false

    /// Whether it has yet to run, or runs again.
    var isRemaining: Bool {
        if case .remaining = state { true } else { false }
    }

    /// The request that it sends, for each element or once.
    var request: RequestPlan? {
        guard case .request(let request) = step.work else { return nil }
        return request
    }
}

/// The steps that the expressions of a step see, by id.
final class ResumeScope {
    private var nodes: [String: Int] = [:]
    private let outer: ResumeScope?

    init(inside outer: ResumeScope? = nil) {
        self.outer = outer
    }

    func add(_ id: String, _ node: Int) { nodes[id] = node }

    func node(_ id: String) -> Int? { nodes[id] ?? outer?.node(id) }

    var all: [Int] { nodes.values + (outer?.all ?? []) }
}

/// The instances of all steps of a plan, in the order of the manifest. A `forEach` has an instance for each element
/// that had started but not finished, and one for all elements that had not started.
struct ResumeNodes {
    private(set) var all: [ResumeNode] = []
    /// The outputs of the graphs that are run, which are always evaluated.
    private(set) var results: [(outputs: [OutputDefinition], scope: ResumeScope)] = []
    private let plan: Plan
    private let earlier: EarlierSteps

    /// The location of steps: the path in the plan and that of the instance, as in `StepContext`.
    private struct Position {
        var planned: String
        var instance: String
        var scope: ResumeScope

        func path(of step: StepPlan) -> String { instance + step.path.dropFirst(planned.count) }
    }

    init(_ plan: Plan, _ earlier: EarlierSteps) {
        self.plan = plan
        self.earlier = earlier
        var level = 0
        for graph in plan.graphs {
            let position = Position(planned: graph.name, instance: graph.name, scope: ResumeScope())
            level = add(graph, at: position, from: level)
            results.append((graph.outputs + graph.state.map(\.next), position.scope))
        }
    }

    subscript(_ index: Int) -> ResumeNode { all[index] }

    /// Notes that a step that had passed runs again, with everything inside it.
    mutating func repeatStep(_ index: Int) {
        all[index].state = .remaining(elements: [:])
        let node = all[index]
        guard node.step.flow?.forEach != nil else { return }
        let position = Position(
            planned: node.step.path,
            instance: node.path + "[*]",
            scope: ResumeScope(inside: node.scope)
        )
        _ = addWork(of: index, at: position, from: node.level)
    }

    // MARK: Steps

    private mutating func add(_ graph: GraphPlan, at position: Position, from level: Int) -> Int {
        let end = add(graph.body, at: position, from: level)
        guard let finally = graph.finally else { return end }
        return add(finally, at: position, from: end)
    }

    /// Adds the steps of a group; returns the level of the steps that run after them.
    private mutating func add(_ group: GroupPlan, at position: Position, from level: Int) -> Int {
        var end = level
        var ends: [String: Int] = [:]
        var waiting = group.steps
        while !waiting.isEmpty {
            var later: [StepPlan] = []
            let ids = Set(waiting.compactMap(\.id))
            for step in waiting {
                let needs = group.order == .batch ? step.flow?.needs.map(\.value) ?? [] : []
                guard needs.allSatisfy({ !ids.contains($0) || ends[$0] != nil }) else {
                    later.append(step)
                    continue
                }
                let start = group.order == .chain ? end : needs.compactMap { ends[$0] }.max() ?? level
                let last = add(step, at: position, from: start)
                if let id = step.id { ends[id] = last }
                end = max(end, last)
            }
            // Validation rejects cycles.
            if later.count == waiting.count { break }
            waiting = later
        }
        return end
    }

    private mutating func add(_ step: StepPlan, at position: Position, from level: Int) -> Int {
        let path = position.path(of: step)
        let index = all.count
        if let id = step.id { position.scope.add(id, index) }
        let taken = earlier.step(at: path)
        let elements = earlier.elements(of: path)?.elements ?? [:]
        all.append(
            ResumeNode(
                path: path,
                step: step,
                scope: position.scope,
                state: taken.map { .taken($0) } ?? .remaining(elements: elements),
                pastMethod: taken?.result.method,
                level: level
            )
        )
        if taken != nil { return level + 1 }
        notePages(of: index, at: path)
        guard step.flow?.forEach != nil else {
            var inner = position
            inner.planned = step.path
            inner.instance = path
            return addWork(of: index, at: inner, from: level)
        }
        var end = level
        for element in earlier.openElements(of: path).map({ "\(path)[\($0)]" }) + ["\(path)[*]"] {
            notePages(of: index, at: element)
            let inner = Position(planned: step.path, instance: element, scope: ResumeScope(inside: position.scope))
            end = max(end, addWork(of: index, at: inner, from: level))
        }
        return end
    }

    private mutating func addWork(of index: Int, at position: Position, from level: Int) -> Int {
        switch all[index].step.work {
        case .request, .values, .end: return level + 1
        case .group(let group): return max(level + 1, add(group, at: position, from: level))
        case .graph(let call):
            guard let graph = plan.subgraphs[call.path] else { return level + 1 }
            let inner = Position(planned: graph.path, instance: position.instance, scope: ResumeScope())
            all[index].graph = (graph.outputs, inner.scope)
            return max(level + 1, add(graph, at: inner, from: level))
        }
    }

    private mutating func notePages(of index: Int, at path: String) {
        guard let pages = earlier.pages(of: path), pages.count > 0 else { return }
        all[index].pageCookies.formUnion(pages.cookies)
        let needsItems = all[index].step.needsItems
        let isPagedElement = path != all[index].path && all[index].request?.settings.stream == nil
        if isPagedElement || all[index].step.flow?.until != nil || pages.next == nil || needsItems && !pages.hasItems {
            all[index].mustRestartPages = true
        }
    }

    // MARK: Safety

    /// Whether a step can be run again without changing anything on a server.
    func isSafe(_ node: ResumeNode) -> Bool {
        if node.request != nil, let method = node.pastMethod { return HTTPRequest.isSafe(method: method) }
        return isSafe(node.step)
    }

    private func isSafe(_ step: StepPlan) -> Bool {
        switch step.work {
        case .request(let request): request.constantMethod.map { HTTPRequest.isSafe(method: $0) } ?? false
        case .group(let group): group.steps.allSatisfy(isSafe)
        case .graph(let call):
            plan.subgraphs[call.path].map { graph in
                (graph.body.steps + (graph.finally?.steps ?? [])).allSatisfy(isSafe)
            } ?? true
        case .values, .end: true
        }
    }
}
