import Synchronization
import WaybillManifest
import WaybillRuntime

/// A request among equal ones, from its first attempt to its end.
final class DuplicateClaim: Sendable {
    fileprivate let activity = Activity()
    private let registry: Duplicates
    private let number: Int
    private let superseded = Mutex(false)

    fileprivate init(_ number: Int, in registry: Duplicates) {
        self.number = number
        self.registry = registry
    }

    /// Whether a later request has replaced it.
    var isSuperseded: Bool { superseded.withLock { $0 } }

    /// Runs everything that belongs to the request, so that a later one can cancel it. Nothing else may run in the
    /// current task.
    func run<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value {
        defer { registry.leave(number) }
        return await activity.run(body)
    }

    /// Claims to be the request that is sent, and waits until the earlier one that it cancels has ended; returns
    /// `false` if it must not be sent.
    func enter(_ key: DuplicateKey, _ mode: DuplicatePolicy.Mode) async -> Bool {
        await registry.enter(number, self, key, mode)
    }

    fileprivate func supersede() {
        superseded.withLock { $0 = true }
        activity.cancel()
    }
}

/// The requests of a run that depend on whether an equal one is in flight: those whose `duplicates` mode is
/// `cancel-previous` or `discard`.
final class Duplicates: Sendable {
    private struct State {
        var decisions = DuplicateState()
        var claims: [Int: DuplicateClaim] = [:]
        /// The requests that wait for the previous one to end.
        var waiting: [Int: Awaited<Void>] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Returns a claim for a new request.
    func claim() -> DuplicateClaim {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return DuplicateClaim(number, in: self)
    }

    fileprivate func enter(
        _ number: Int,
        _ claim: DuplicateClaim,
        _ key: DuplicateKey,
        _ mode: DuplicatePolicy.Mode
    ) async -> Bool {
        let (action, cancelled, turn) =
            state.withLock { state in
                let action = state.decisions.enter(number, key, mode)
                if action != .drop { state.claims[number] = claim }
                guard case .wait(let numbers) = action else { return (action, [], nil) }
                let turn = Awaited<Void>()
                state.waiting[number] = turn
                return (action, numbers.compactMap { state.claims[$0] }, turn)
            } as (DuplicateState.Action, [DuplicateClaim], Awaited<Void>?)
        switch action {
        case .begin: return true
        case .drop: return false
        case .wait:
            for claim in cancelled { claim.supersede() }
            await turn?.value { turn?.set(()) }
            return true
        }
    }

    fileprivate func leave(_ number: Int) {
        let next = state.withLock { state -> Awaited<Void>? in
            state.claims[number] = nil
            state.waiting[number] = nil
            return state.decisions.leave(number).flatMap { state.waiting.removeValue(forKey: $0) }
        }
        next?.set(())
    }
}
