import WaybillDiagnostics
import WaybillManifest

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
        guard steps.contains(where: { $0.flow?.needs.isEmpty == false }) else {
            order = Array(steps.indices)
            return
        }
        var siblings: [String: Int] = [:]
        for (index, step) in steps.enumerated() {
            if let id = step.effectiveID { siblings[id] = index }
        }
        for (index, step) in steps.enumerated() {
            for name in step.flow?.needs ?? [] {
                if let sibling = siblings[name.value] {
                    direct[index].append((sibling, name))
                } else if !mayHaveOtherIDs {
                    let help = "'needs' can name only steps of the same batch."
                    diagnostics.append(.unknown("step", name, among: siblings.keys.sorted(), help: [help]))
                }
            }
        }
        sort(steps)
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

    private mutating func sort(_ steps: [Step]) {
        var isDone = [Bool](repeating: false, count: steps.count)
        // The position of each step in the path.
        var places = [Int?](repeating: nil, count: steps.count)
        for start in steps.indices where !isDone[start] {
            // The traversal is not recursive, because a batch may have very many steps.
            var path: [(step: Int, next: Int)] = [(start, 0)]
            places[start] = 0
            while let (step, next) = path.last {
                guard next < direct[step].count else {
                    positions[step] = order.count
                    order.append(step)
                    isDone[step] = true
                    places[step] = nil
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let need = direct[step][next]
                if let first = places[need.index] {
                    report(path[first...].map { steps[$0.step].effectiveID ?? "" }, at: need.name)
                } else if !isDone[need.index] {
                    places[need.index] = path.count
                    path.append((need.index, 0))
                }
            }
        }
    }

    private mutating func report(_ ids: [String], at name: Spanned<String>) {
        hasCycle = true
        let cycle = (ids + [name.value]).joined(separator: " → ")
        diagnostics.report(
            "needs-cycle",
            "these steps wait for each other in a cycle: \(cycle)",
            at: name.span,
            help: ["Each arrow means 'needs'. Remove one of them."]
        )
    }
}
