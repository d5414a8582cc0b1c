import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults

/// Decides which steps of a chain or batch run when, and what the end of one means for the others. Whoever runs the steps
/// does what it says.
struct GroupState: Sendable {
    /// What is to be done.
    enum Action: Sendable, Equatable {
        /// The step at this place begins.
        case start(Int)
        /// The step at this place is not run.
        case skip(Int, RunEvent.SkipReason)
        /// Cancels all steps that are running.
        case cancelRunning
    }

    private enum Phase: Equatable {
        case waiting, running, done, failed, skipped
    }

    /// The maximum number of steps of a batch that run at once, unless it has a `concurrency` of its own. A running step takes
    /// about 100 KB, also while it waits for a permit to send.
    private static let maximumRunning = 1024

    private let order: Group.Order
    private let mode: FailureMode
    private let limit: Int
    /// The places of the steps that each step needs.
    private let needs: [[Int]]
    private var phases: [Phase]
    private var running = 0
    /// The first that has not begun, for groups without needs.
    private var next = 0
    /// Why nothing more begins.
    private var stop: RunEvent.SkipReason?
    private var hasFailed = false
    private var wasCancelled = false
    private var wasRefused = false

    /// The state of a group before anything of it runs.
    init(_ group: GroupPlan) {
        order = group.order
        mode = group.onFailure
        limit = group.order == .chain ? 1 : max(1, group.concurrency ?? Self.maximumRunning)
        let places = Dictionary(
            group.steps.enumerated().compactMap { index, step in step.id.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first }
        )
        needs = group.steps.map { step in (step.flow?.needs ?? []).compactMap { places[$0.value] } }
        phases = group.steps.map { _ in .waiting }
    }

    /// Whether every step has ended or will not run.
    var isDone: Bool { running == 0 && !phases.contains(.waiting) }

    /// How the group ended, once it is done.
    var end: NodeOutcome.End {
        if wasRefused { return .refused }
        if hasFailed, mode != .continue { return .failed }
        return wasCancelled ? .cancelled : .passed
    }

    /// What is to be done at the beginning.
    mutating func start() -> [Action] { advance() }

    /// What is to be done after a step has ended.
    mutating func finished(_ place: Int, _ end: NodeOutcome.End) -> [Action] {
        running -= 1
        var actions: [Action] = []
        switch end {
        case .passed, .withdrawn, .skipped(.condition), .skipped(.ended):
            phases[place] = .done
        case .ended:
            phases[place] = .done
            stop = stop ?? .ended
        case .failed:
            hasFailed = true
            // With `continue` what needs the step sees its `ok` and `error`.
            phases[place] = mode == .continue ? .done : .failed
            if mode == .stop, stop == nil {
                stop = .failure
                if running > 0 { actions.append(.cancelRunning) }
            }
        case .refused:
            wasRefused = true
            phases[place] = .failed
            stop = stop ?? .failure
        case .cancelled, .skipped:
            phases[place] = .skipped
            guard stop == nil else { break }
            wasCancelled = true
            stop = .interrupted
            // Where one only did not begin since the run is being stopped, the others are given their time.
            if end == .cancelled, running > 0 { actions.append(.cancelRunning) }
        }
        return actions + advance()
    }

    private mutating func advance() -> [Action] {
        if let stop { return skipAll(stop) }
        var actions: [Action] = []
        var place = next
        while place < phases.count, running < limit {
            defer { place += 1 }
            guard phases[place] == .waiting else { continue }
            if needs[place].contains(where: { phases[$0] == .failed || phases[$0] == .skipped }) {
                phases[place] = .skipped
                actions.append(.skip(place, .failure))
                // What stands before may have waited for it.
                place = next - 1
            } else if needs[place].allSatisfy({ phases[$0] == .done }) {
                phases[place] = .running
                running += 1
                actions.append(.start(place))
            }
        }
        while next < phases.count, phases[next] != .waiting { next += 1 }
        return actions
    }

    private mutating func skipAll(_ reason: RunEvent.SkipReason) -> [Action] {
        phases.indices.filter { phases[$0] == .waiting }.map { place in
            phases[place] = .skipped
            return .skip(place, reason)
        }
    }
}
