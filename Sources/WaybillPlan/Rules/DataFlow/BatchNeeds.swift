import WaybillDiagnostics
import WaybillManifest

/// What the steps of a batch need of each other, put in an order in which each comes behind what it needs.
struct BatchNeeds {
    /// The steps by their numbers, each behind those that it needs.
    private(set) var order: [Int] = []
    /// Whether steps would wait for each other, so that there is no order of all.
    private(set) var hasCycle = false
    /// Names that are not siblings, and steps that would wait for each other.
    private(set) var diagnostics: [Diagnostic] = []

    /// For each step the siblings that it names. What it needs by way of others is not stored: a chain of needs would take
    /// memory by the square of its length.
    private var direct: [[(index: Int, name: Spanned<String>)]]
    /// For each step its place in `order`.
    private var positions: [Int]

    /// - Parameter mayHaveOtherIDs: Whether the id that is needed may be that of a step which cannot be told.
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
                    let help = "'needs' names steps of the same batch."
                    diagnostics.append(.unknown("step", name, among: siblings.keys.sorted(), help: [help]))
                }
            }
        }
        sort(steps)
    }

    /// Whether a step needs another one, directly or by way of others.
    func needs(_ step: Int, _ other: Int) -> Bool {
        var seen: Set<Int> = [step]
        var open = [step]
        while let next = open.popLast() {
            for need in direct[next] {
                if need.index == other { return true }
                // A step is behind all that it needs, so that what is before the other one does not lead to it.
                guard positions[need.index] > positions[other], seen.insert(need.index).inserted else { continue }
                open.append(need.index)
            }
        }
        return false
    }

    private mutating func sort(_ steps: [Step]) {
        var isDone = [Bool](repeating: false, count: steps.count)
        // Where a step is in the path.
        var places = [Int?](repeating: nil, count: steps.count)
        for start in steps.indices where !isDone[start] {
            // A walk without recursion, since a batch may have very many steps.
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
        let way = (ids + [name.value]).joined(separator: " → ")
        diagnostics.append(
            Diagnostic(
                "needs-cycle",
                "these steps would wait for each other without end: \(way)",
                at: name.span,
                help: ["Each arrow reads 'needs'. Take one of them away."]
            )
        )
    }
}
