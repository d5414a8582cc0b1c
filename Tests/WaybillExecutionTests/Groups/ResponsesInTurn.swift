import Synchronization
import WaybillExecution
import WaybillResults

/// Releases the responses to the steps of a group one by one, in the order of a case: the first when all simultaneous
/// requests have arrived, each other one when the step before it has finished.
///
/// The clock of the run advances by a second with each response, and only then.
final class ResponsesInTurn: RunObserver {
    private struct State {
        /// The number of requests that must still arrive before the first response.
        var missing: Int
        /// The steps that have not received a response.
        var rest: ArraySlice<Int>
        var ends: [String: Int] = [:]
    }

    let clock = ManualClock()
    private let state: Mutex<State>
    private let turns: AsyncStream<Int>
    private let turn: AsyncStream<Int>.Continuation

    init(_ group: GroupCase) {
        state = Mutex(State(missing: group.kind.order == .chain ? 1 : 3, rest: group.answered[...]))
        (turns, turn) = AsyncStream.makeStream()
    }

    /// The number of responses that had been released when each started step finished.
    var ends: [String: Int] { state.withLock { $0.ends } }

    /// Reports that the request of a step in the group has arrived.
    func arrived() {
        let isLast = state.withLock { state in
            state.missing -= 1
            return state.missing == 0
        }
        if isLast { next() }
    }

    func receive(_ event: RunEvent) {
        switch event.kind {
        case .stepFinished(let result, _) where result.isCounted:
            state.withLock { $0.ends[result.id] = Int(clock.now / .seconds(1)) }
            next()
        case .runFinished: turn.finish()
        default: break
        }
    }

    /// Executes a run that reports its events to this observer, and releases each response in its turn.
    func carryOut(
        _ run: @escaping @Sendable (EventStream, ManualClock) async -> Executor.Outcome,
        resumeWaiting: (_ step: Int) -> Void
    ) async -> Executor.Outcome {
        async let outcome = run(EventStream(journal: nil, observers: [self]), clock)
        for await step in turns {
            clock.advance(by: .seconds(1))
            resumeWaiting(step)
        }
        return await outcome
    }

    private func next() {
        if let step = state.withLock({ $0.rest.popFirst() }) { turn.yield(step) }
    }
}
