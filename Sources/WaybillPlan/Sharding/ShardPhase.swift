import WaybillDiagnostics
import WaybillManifest

/// When a step of a graph runs, if the graph's sharded steps are divided among several processes.
package enum ShardPhase: Sendable, Comparable {
    /// Before the sharded steps: once, or in the process of each shard.
    case before
    /// In the process of each shard, for its share of the elements.
    case shards
    /// After all shards.
    case after
}

/// What decides the phase of a step.
protocol PhasedStep {
    /// The id by which siblings name the step in `needs`.
    var phaseID: String? { get }
    /// When, how often and after which steps the step runs.
    var flow: Flow? { get }
}

extension PhasedStep {
    /// Whether the elements of the step are divided among several processes.
    package var isSharded: Bool { flow?.forEach?.isSharded ?? false }
}

extension Step: PhasedStep {
    var phaseID: String? { effectiveID }
}

extension StepPlan: PhasedStep {
    var phaseID: String? { id }
}

extension ShardPhase {
    /// Returns the phases of the steps of a graph's own chain or batch.
    ///
    /// In a chain, the steps after the first sharded one are in the phase after the shards, unless they are sharded
    /// themselves; in a batch, those that need a sharded step, directly or indirectly.
    static func phases(of steps: [some PhasedStep], order: Group.Order) -> [ShardPhase] {
        switch order {
        case .chain:
            let first = steps.firstIndex { $0.isSharded } ?? steps.count
            return steps.indices.map { index in
                steps[index].isSharded ? .shards : index < first ? .before : .after
            }
        case .batch:
            var phases = steps.map { $0.isSharded ? ShardPhase.shards : .before }
            var late = Set(steps.filter(\.isSharded).compactMap(\.phaseID))
            var hasChanged = !late.isEmpty
            while hasChanged {
                hasChanged = false
                for (index, step) in steps.enumerated() where phases[index] == .before {
                    guard step.flow?.needs.contains(where: { late.contains($0.value) }) ?? false else { continue }
                    phases[index] = .after
                    hasChanged = step.phaseID.map { late.insert($0).inserted } ?? false || hasChanged
                }
            }
            return phases
        }
    }
}
