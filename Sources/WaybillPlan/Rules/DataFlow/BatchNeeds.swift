import WaybillDiagnostics
import WaybillManifest
import WaybillSchema

/// The dependencies (`needs`) between the steps of a batch, with an order in which each step comes after those it
/// needs.
struct BatchNeeds {
    /// The indices of the steps, each after those that it needs.
    private(set) var order: [Int] = []
    /// Whether steps wait for each other, so that no order of all steps exists.
    private(set) var hasCycle = false
    /// Errors for names that are not siblings, and for steps that wait for each other.
    private(set) var diagnostics: [Diagnostic] = []

    /// For each step, the siblings that it names. Indirect needs are not stored: for a chain of needs, they would take
    /// memory quadratic in its length.
    private var direct: [[(index: Int, name: Spanned<String>)]]
    /// For each step, its position in `order`.
    private var positions: [Int]

    /// - Parameter mayHaveOtherIDs: Whether a needed id may belong to a step whose id is unknown because of an error.
    init(_ steps: [Step], mayHaveOtherIDs: Bool) {
        direct = Array(repeating: [], count: steps.count)
        positions = Array(steps.indices)
        var siblings: [String: Int] = [:]
        for (index, step) in steps.enumerated() {
            if let id = step.effectiveID { siblings[id] = index }
        }
        lazy var names = siblings.keys.sorted()
        for (index, step) in steps.enumerated() {
            for name in step.flow?.needs ?? [] {
                if let sibling = siblings[name.value] {
                    direct[index].append((sibling, name))
                } else if !mayHaveOtherIDs {
                    let help = "'needs' can name only steps of the same batch."
                    let others = names.filter { $0 != step.effectiveID }
                    diagnostics.append(.unknown("step", name, among: others, help: [help]))
                }
            }
        }
        let dependencies = DependencyOrder(direct.map { $0.map(\.index) })
        order = dependencies.order
        for (position, step) in order.enumerated() { positions[step] = position }
        hasCycle = !dependencies.cycles.isEmpty
        for cycle in dependencies.cycles {
            let name = direct[cycle.last][cycle.edge].name
            let ids = cycle.nodes.map { steps[$0].effectiveID ?? "" } + [name.value]
            diagnostics.report(
                "needs-cycle",
                "these steps wait for each other in a cycle: \(ids.joined(separator: " → "))",
                at: name.span,
                help: ["Each arrow means 'needs'. Remove one of them."]
            )
        }
    }

    /// Whether a step needs another one, directly or indirectly.
    func needs(_ step: Int, _ other: Int) -> Bool {
        var seen: Set<Int> = [step]
        var open = [step]
        while let next = open.popLast() {
            for need in direct[next] {
                if need.index == other { return true }
                // A step comes after everything it needs, so steps before the other one cannot lead to it.
                guard positions[need.index] > positions[other], seen.insert(need.index).inserted else { continue }
                open.append(need.index)
            }
        }
        return false
    }
}
