import Synchronization
import WaybillExecution
import WaybillResults

/// Lets the responses to the steps of a group go one by one, in the order of a case: the first when all requests that are
/// sent at once have come, each other one when the step before it has ended.
///
/// The clock, which is the run's, moves on by a second with each response and else stands still.
final class ResponsesInTurn: RunObserver {
    private struct State {
        /// The requests that have still to come before the first response.
        var missing: Int
        /// The steps that have not been answered.
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

    /// How many responses had gone when each step ended that has begun.
    var ends: [String: Int] { state.withLock { $0.ends } }

    /// The request of a step in the group has come.
    func arrived() {
        let isLast = state.withLock { state in
            state.missing -= 1
            return state.missing == 0
        }
        if isLast { next() }
    }

    func receive(_ event: RunEvent) {
        switch event.kind {
        case .stepFinished(let result, _):
            state.withLock { $0.ends[result.id] = Int(clock.now / .seconds(1)) }
            next()
        case .runFinished: turn.finish()
        default: break
        }
    }

    /// Carries a run out that tells this of its events, and has each response let go when its turn has come.
    func carryOut(
        _ run: @escaping @Sendable (EventStream, ManualClock) async -> Executor.Outcome,
        letGo: (_ step: Int) -> Void
    ) async -> Executor.Outcome {
        async let outcome = run(EventStream(journal: nil, observers: [self]), clock)
        for await step in turns {
            clock.advance(by: .seconds(1))
            letGo(step)
        }
        return await outcome
    }

    private func next() {
        if let step = state.withLock({ $0.rest.popFirst() }) { turn.yield(step) }
    }
}
