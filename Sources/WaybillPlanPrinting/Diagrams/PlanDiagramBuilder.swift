import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest
import WaybillPlan

/// Builds the diagram of a plan.
struct PlanDiagramBuilder {
    /// A step in the diagram.
    private struct PlacedStep {
        var step: StepPlan
        var end: PlanDiagram.End
        /// The numbers of the boxes around it.
        var around: [Int]

        /// Whether this is the other step, or a group that contains it.
        func encloses(_ other: PlacedStep) -> Bool {
            if case .box(let number) = end, other.around.contains(number) { return true }
            return end == other.end
        }
    }

    private let words: StepText
    private var diagram = PlanDiagram()
    private var nodeCount = 0
    private var boxCount = 0
    /// The box of each graph, by its path.
    private var boxes: [String: Int] = [:]
    /// The nodes that run graphs.
    private var calls: [(node: PlanDiagram.End, graph: String)] = []
    /// The steps of the current graph.
    private var placedSteps: [PlacedStep] = []

    private init(_ form: PlanValues) {
        words = StepText(form: form)
    }

    /// Returns the diagram of a plan.
    static func diagram(of description: PlanDescription) -> PlanDiagram {
        var builder = PlanDiagramBuilder(description.makeValues())
        let plan = description.plan
        let run = Set(plan.graphs.map(\.path))
        for graph in plan.graphs + plan.sortedSubgraphs.filter({ !run.contains($0.path) }) { builder.add(graph) }
        for (service, session) in plan.sortedSessions { builder.add(session, of: service) }
        for (node, graph) in builder.calls {
            guard let box = builder.boxes[graph] else { continue }
            builder.diagram.arrows.append(.init(from: node, to: .box(box), reason: .graph))
        }
        return builder.diagram
    }

    // MARK: Graphs

    private mutating func add(_ graph: GraphPlan) {
        placedSteps = []
        let whole = box(["\(graph.name): \(words.words(for: graph.body))"]) { builder, number in
            builder.boxes[graph.path] = number
            var items = builder.items(of: graph.body, around: [number])
            if let finally = graph.finally, !finally.steps.isEmpty {
                let before = graph.body.order == .chain ? items.last?.end : nil
                let last = builder.box(["at the end, even after failures"]) { builder, inner in
                    builder.items(of: finally, around: [number, inner])
                }
                for from in before.map({ [$0] }) ?? items.map(\.end) {
                    builder.diagram.arrows.append(.init(from: from, to: last.end, reason: .order))
                }
                items.append(last)
            }
            return items
        }
        diagram.items.append(whole)
        addArrowsOfData()
    }

    private mutating func add(_ session: SessionPlan, of service: String) {
        let request = session.request
        let lines = [request.endpoint, "\(request.writtenMethod) \(words.form.address(of: request))"].compactMap { $0 }
        let whole = box(["session of \(service)"]) { builder, _ in [builder.node(.step, lines)] }
        diagram.items.append(whole)
    }

    // MARK: Steps

    /// Recursive, as deep as the steps: their depth is limited where the manifest is read.
    private mutating func items(of group: GroupPlan, around: [Int]) -> [PlanDiagram.Item] {
        var items: [PlanDiagram.Item] = []
        var ends: [String: PlanDiagram.End] = [:]
        for step in group.steps {
            let item = item(for: step, around: around)
            if group.order == .chain, let before = items.last?.end {
                diagram.arrows.append(.init(from: before, to: item.end, reason: .order))
            }
            if let id = step.id { ends[id] = item.end }
            items.append(item)
        }
        for (step, item) in zip(group.steps, items) {
            for need in step.flow?.needs ?? [] {
                guard let from = ends[need.value] else { continue }
                diagram.arrows.append(.init(from: from, to: item.end, reason: .order))
            }
        }
        return items
    }

    private mutating func item(for step: StepPlan, around: [Int]) -> PlanDiagram.Item {
        let item: PlanDiagram.Item
        let names = [step.id, words.ownName(of: step).map(words.form.text)].compactMap { $0 }
        let title = names + [words.summary(of: step)]
        let lines = title + words.flowLines(for: step)
        switch step.work {
        case .group(let group):
            item = box(lines) { builder, number in builder.items(of: group, around: around + [number]) }
        case .graph(let call):
            item = node(.graph, lines)
            calls.append((item.end, call.path))
        case .end: item = node(.decision, lines)
        case .request, .values: item = node(.step, lines)
        }
        placedSteps.append(PlacedStep(step: step, end: item.end, around: around))
        return item
    }

    /// Adds arrows from steps to those that use their data, unless another arrow already connects them.
    private mutating func addArrowsOfData() {
        var drawn = Set(diagram.arrows.map { [$0.from, $0.to] })
        var byID: [String: PlacedStep] = [:]
        for placed in placedSteps { if let id = placed.step.id { byID[id] = placed } }
        for placed in placedSteps {
            var arrows: [PlanDiagram.Arrow] = []
            let visitor = UseVisitor { use in
                for reference in use.text.references where reference.name == "steps" {
                    guard let from = reference.segments.first?.name.flatMap({ byID[$0] }), !from.encloses(placed),
                        !placed.encloses(from)
                    else { continue }
                    arrows.append(.init(from: from.end, to: placed.end, reason: .data))
                }
            }
            placed.step.visitOwnUses(visitor)
            for arrow in arrows where drawn.insert([arrow.from, arrow.to]).inserted { diagram.arrows.append(arrow) }
        }
    }

    // MARK: Nodes and boxes

    private mutating func node(_ shape: PlanDiagram.Shape, _ lines: [String]) -> PlanDiagram.Item {
        nodeCount += 1
        return .init(end: .node(nodeCount), shape: shape, lines: lines)
    }

    /// Returns a box around the items that a closure returns. The closure receives the number of the box.
    private mutating func box(
        _ lines: [String],
        _ content: (inout PlanDiagramBuilder, Int) -> [PlanDiagram.Item]
    ) -> PlanDiagram.Item {
        boxCount += 1
        let number = boxCount
        var items = content(&self, number)
        if items.isEmpty { items.append(node(.nothing, ["nothing"])) }
        return .init(end: .box(number), lines: lines, items: items)
    }
}
