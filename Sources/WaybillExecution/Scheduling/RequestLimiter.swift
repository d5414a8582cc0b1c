import Synchronization

/// Lets requests be under way as the limits of the run and the rates of the services allow; the others wait for their turn.
final class RequestLimiter: Sendable {
    private struct State {
        var turns: TurnState
        var continuations: [Int: CheckedContinuation<Turn?, Never>] = [:]
        /// What has become of those who do not wait yet.
        var outcomes: [Int: Turn?] = [:]
        /// What wakes the limiter, and when.
        var timer: (at: Duration, task: Task<Void, Never>)?
        var isStopped = false
    }

    private typealias Ready = [(continuation: CheckedContinuation<Turn?, Never>, turn: Turn?)]

    private let clock: any RunClock
    private let state: Mutex<State>

    /// A limiter with so many places.
    init(limit: Int, clock: any RunClock) {
        state = Mutex(State(turns: TurnState(places: limit)))
        self.clock = clock
    }

    /// How many wait; tests wait for them to come.
    var waitingCount: Int { state.withLock { $0.continuations.count } }

    /// Waits for a turn, which has to be given back; `nil` when the task was cancelled meanwhile, or the run is being stopped.
    func acquire(_ wish: TurnWish) async -> Turn? {
        let (ticket, turn, ready) = state.withLock { state -> (Int, Turn??, Ready) in
            if state.isStopped, !wish.isFinal { return (0, .some(nil), []) }
            if let turn = state.turns.beginAtOnce(wish) { return (0, turn, []) }
            let ticket = state.turns.enter(wish, now: clock.now)
            let ready = advance(&state)
            return (ticket, state.outcomes.removeValue(forKey: ticket), ready)
        }
        resume(ready)
        if let turn { return turn }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> Turn?? in
                    if let outcome = state.outcomes.removeValue(forKey: ticket) { return outcome }
                    state.continuations[ticket] = continuation
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            let ready = state.withLock { state -> Ready in
                guard state.turns.withdraw(ticket) else { return [] }
                return settle(ticket, nil, &state) + advance(&state)
            }
            resume(ready)
        }
    }

    /// Gives a turn back.
    func release(_ turn: Turn) {
        let ready = state.withLock { state -> Ready in
            state.turns.leave(turn)
            return advance(&state)
        }
        resume(ready)
    }

    /// Notes whether one connection to a service with a rate carries many requests (HTTP/2).
    func note(isMultiplexed: Bool, lane: String) {
        state.withLock { $0.turns.note(isMultiplexed: isMultiplexed, lane: lane) }
    }

    /// Sends away all that wait, but for those that run also when the run is being stopped; so it is with all that come.
    func stop() {
        let ready = state.withLock { state -> Ready in
            state.isStopped = true
            let gone = state.turns.stop().flatMap { settle($0, nil, &state) }
            return gone + advance(&state)
        }
        resume(ready)
    }

    private func advance(_ state: inout State) -> Ready {
        guard !state.turns.isEmpty || state.timer != nil else { return [] }
        let step = state.turns.advance(now: clock.now)
        if state.timer?.at != step.wake {
            state.timer?.task.cancel()
            state.timer = step.wake.map { ($0, timer(at: $0)) }
        }
        return step.begun.flatMap { settle($0.ticket, $0.turn, &state) }
    }

    private func settle(_ ticket: Int, _ turn: Turn?, _ state: inout State) -> Ready {
        if let continuation = state.continuations.removeValue(forKey: ticket) { return [(continuation, turn)] }
        state.outcomes[ticket] = .some(turn)
        return []
    }

    private func timer(at moment: Duration) -> Task<Void, Never> {
        Task {
            // A timer that is not needed any more is cancelled.
            guard (try? await clock.sleep(for: moment - clock.now)) != nil else { return }
            let ready = state.withLock { state -> Ready in
                if state.timer?.at == moment { state.timer = nil }
                return advance(&state)
            }
            resume(ready)
        }
    }

    private func resume(_ ready: Ready) {
        for (continuation, turn) in ready { continuation.resume(returning: turn) }
    }
}
