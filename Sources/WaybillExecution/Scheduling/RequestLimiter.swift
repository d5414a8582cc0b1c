import Synchronization
import WaybillRuntime

/// Issues permits to send requests, as the limits of the run and the rates of the services allow.
final class RequestLimiter: Sendable {
    private struct State {
        var permits: PermitState
        /// The requests that wait, by ticket. `nil` instead of a permit means that a request was withdrawn.
        var waiting: [Int: Awaited<Permit?>] = [:]
        /// What wakes the limiter, and when.
        var timer: (at: Duration, task: Task<Void, Never>)?
        var isStopped = false
    }

    private typealias Ready = [(request: Awaited<Permit?>, permit: Permit?)]

    private let clock: any RunClock
    private let state: Mutex<State>

    /// A limiter with a maximum number of requests in flight.
    init(limit: Int, clock: any RunClock) {
        state = Mutex(State(permits: PermitState(slots: limit)))
        self.clock = clock
    }

    /// The number of waiting requests, for tests.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Waits for a permit, which has to be released; returns `nil` if the task was cancelled in the meantime, or the
    /// run is being stopped.
    func acquire(_ request: PermitRequest) async -> Permit? {
        let (ticket, permit, waiting, ready) = state.withLock { state -> (Int, Permit?, Awaited<Permit?>?, Ready) in
            if state.isStopped, !request.isFinal { return (0, nil, nil, []) }
            if let permit = state.permits.issueAtOnce(request) { return (0, permit, nil, []) }
            let ticket = state.permits.enqueue(request, now: clock.now)
            let waiting = Awaited<Permit?>()
            state.waiting[ticket] = waiting
            return (ticket, nil, waiting, advance(&state))
        }
        guard let waiting else { return permit }
        resume(ready)
        return await waiting.value {
            let ready = state.withLock { state -> Ready in
                guard state.permits.withdraw(ticket) else { return [] }
                return settle(ticket, nil, &state) + advance(&state)
            }
            resume(ready)
        }
    }

    func release(_ permit: Permit) {
        let ready = state.withLock { state -> Ready in
            state.permits.release(permit)
            return advance(&state)
        }
        resume(ready)
    }

    /// Notes whether one connection to a service with a rate carries many requests (HTTP/2).
    func note(isMultiplexed: Bool, queue: String) {
        state.withLock { $0.permits.note(isMultiplexed: isMultiplexed, queue: queue) }
    }

    /// Withdraws all requests that wait now or later, except those that are sent even when the run is being stopped.
    func stop() {
        let ready = state.withLock { state -> Ready in
            state.isStopped = true
            let gone = state.permits.stop().flatMap { settle($0, nil, &state) }
            return gone + advance(&state)
        }
        resume(ready)
    }

    private func advance(_ state: inout State) -> Ready {
        guard !state.permits.isEmpty || state.timer != nil else { return [] }
        let step = state.permits.advance(now: clock.now)
        if state.timer?.at != step.wake {
            state.timer?.task.cancel()
            state.timer = step.wake.map { ($0, timer(at: $0)) }
        }
        return step.issued.flatMap { settle($0.ticket, $0.permit, &state) }
    }

    private func settle(_ ticket: Int, _ permit: Permit?, _ state: inout State) -> Ready {
        state.waiting.removeValue(forKey: ticket).map { [($0, permit)] } ?? []
    }

    private func timer(at moment: Duration) -> Task<Void, Never> {
        Task {
            // A timer that is no longer needed is cancelled.
            guard (try? await clock.sleep(for: moment - clock.now)) != nil else { return }
            let ready = state.withLock { state -> Ready in
                if state.timer?.at == moment { state.timer = nil }
                return advance(&state)
            }
            resume(ready)
        }
    }

    private func resume(_ ready: Ready) {
        for (request, permit) in ready { request.set(permit) }
    }
}
