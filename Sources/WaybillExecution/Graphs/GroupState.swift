import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults

/// Decides when the steps of a chain or batch run, and how the end of one affects the others. The caller performs the
/// actions that it returns.
struct GroupState: Sendable {
    /// What the caller has to do.
    enum Action: Sendable, Equatable {
        /// Starts the step at this index.
        case start(Int)
        /// Skips the step at this index.
        case skip(Int, SkipReason)
        /// Cancels all steps that are running.
        case cancelRunning
    }

    private enum Phase: Equatable {
        case waiting, running, done, failed, skipped
    }

    private let order: Group.Order
    private let mode: FailureMode
    private let limit: Int
    /// The indices of the steps that each step needs.
    private let needs: [[Int]]
    private var phases: [Phase]
    private var running = 0
    /// The index of the first step that is still waiting, so that searches need not start at the first step.
    private var next = 0
    /// Why no more steps start.
    private var stop: SkipReason?
    private var hasFailed = false
    private var wasCancelled = false
    private var wasRefused = false

    /// The state of a group before its first step.
    ///
    /// - Parameter concurrency: The maximum number of steps of a batch that run at once, unless it sets its own. A running
    ///   step takes about 130 KB, even while it waits for a permit to send.
    init(_ group: GroupPlan, concurrency: Int = 64) {
        order = group.order
        mode = group.onFailure
        limit = group.order == .chain ? 1 : max(1, group.concurrency ?? concurrency)
        let positions = Dictionary(
            group.steps.enumerated().compactMap { index, step in step.id.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first }
        )
        needs = group.steps.map { step in (step.flow?.needs ?? []).compactMap { positions[$0.value] } }
        phases = group.steps.map { _ in .waiting }
    }

    /// Whether every step has finished or was skipped.
    var isDone: Bool { running == 0 && !phases.contains(.waiting) }

    /// How the group ended, once it is done.
    var end: NodeOutcome.End {
        if wasRefused { return .refused }
        // A failure ends the group only if it stops the others; otherwise an interruption has left steps to run.
        if wasCancelled, !hasFailed || mode != .stop { return .cancelled }
        return hasFailed && mode != .continue ? .failed : .passed
    }

    /// Returns the actions that start the group.
    mutating func start() -> [Action] { advance() }

    /// Returns the actions that follow the end of a step.
    mutating func finished(_ position: Int, _ end: NodeOutcome.End) -> [Action] {
        running -= 1
        var actions: [Action] = []
        switch end {
        case .passed, .withdrawn, .skipped(.condition), .skipped(.ended):
            phases[position] = .done
        case .ended:
            phases[position] = .done
            stop = stop ?? .ended
        case .failed:
            hasFailed = true
            // With `continue`, the steps that need this one run, and see its `ok` and `error`.
            phases[position] = mode == .continue ? .done : .failed
            if mode == .stop, stop == nil {
                stop = .failure
                if running > 0 { actions.append(.cancelRunning) }
            }
        case .refused:
            wasRefused = true
            phases[position] = .failed
            stop = stop ?? .failure
        case .cancelled, .skipped:
            phases[position] = .skipped
            guard stop == nil else { break }
            // The run is being stopped. The steps that are running may finish in the grace period; when it is over,
            // their tasks are cancelled with the task of the group.
            wasCancelled = true
            stop = .interrupted
        }
        return actions + advance()
    }

    private mutating func advance() -> [Action] {
        if let stop { return skipAll(stop) }
        var actions: [Action] = []
        var position = next
        while position < phases.count, running < limit {
            defer { position += 1 }
            guard phases[position] == .waiting else { continue }
            if needs[position].contains(where: { phases[$0] == .failed || phases[$0] == .skipped }) {
                phases[position] = .skipped
                actions.append(.skip(position, .failure))
                // Earlier steps may have waited for this one.
                position = next - 1
            } else if needs[position].allSatisfy({ phases[$0] == .done }) {
                phases[position] = .running
                running += 1
                actions.append(.start(position))
            }
        }
        while next < phases.count, phases[next] != .waiting { next += 1 }
        return actions
    }

    private mutating func skipAll(_ reason: SkipReason) -> [Action] {
        phases.indices.filter { phases[$0] == .waiting }.map { position in
            phases[position] = .skipped
            return .skip(position, reason)
        }
    }
}
