import Synchronization

/// Values that many need and one gets: whoever asks first has a value got, all others wait for the same one, and it is
/// kept until somebody says that it was refused.
///
/// Whoever stops waiting is let go at once; getting a value is cancelled when nobody waits for it any more.
final class SharedValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A value, and which of its key's it is, to tell one that was refused from one that came since.
    struct Held: Sendable {
        let value: Value
        let generation: Int
    }

    /// What whoever waits is told; `nil` when it was cancelled meanwhile.
    typealias Answer = Result<Held, EvaluationProblem>

    /// A value that is being got.
    private struct Flight {
        let generation: Int
        let task: Task<Void, Never>
        var waiting: [Waiter<Answer?>]
    }

    private struct Entry {
        var held: Held?
        var isRefused = false
        var flight: Flight?
        var generation = 0
    }

    private enum Source {
        case known(Held)
        case flight(Int, Waiter<Answer?>)
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// How many wait for the value of a key to be got; tests wait for them to come.
    func waitingCount(of key: Key) -> Int { entries.withLock { $0[key]?.flight?.waiting.count ?? 0 } }

    /// The value of a key: the one that is there, if it is still good, or else another.
    ///
    /// - Parameter get: Gets one; it is told which one was there before. Whoever asks next after a failure tries again.
    func value(
        of key: Key,
        isGood: (Value) -> Bool = { _ in true },
        get: @escaping @Sendable (_ previous: Value?) async -> Result<Value, EvaluationProblem>
    ) async -> Answer? {
        guard !Task.isCancelled else { return nil }
        let source = entries.withLock { entries -> Source in
            var entry = entries[key] ?? Entry()
            if entry.flight == nil, let held = entry.held, !entry.isRefused, isGood(held.value) { return .known(held) }
            defer { entries[key] = entry }
            let waiter = Waiter<Answer?>()
            if let flight = entry.flight {
                entry.flight?.waiting.append(waiter)
                return .flight(flight.generation, waiter)
            }
            entry.generation += 1
            let (generation, previous) = (entry.generation, entry.held?.value)
            let task = Task { self.finish(key, generation, with: await get(previous)) }
            entry.flight = Flight(generation: generation, task: task, waiting: [waiter])
            return .flight(generation, waiter)
        }
        switch source {
        case .known(let held): return .success(held)
        case .flight(let generation, let waiter):
            return await withTaskCancellationHandler {
                await waiter.value()
            } onCancel: {
                leave(key, generation, waiter)
            }
        }
    }

    /// Notes that a value is not good any more; whether nobody had noted it before.
    func refuse(_ held: Held, of key: Key) -> Bool {
        entries.withLock { entries in
            guard let entry = entries[key], entry.held?.generation == held.generation, !entry.isRefused else {
                return false
            }
            entries[key]?.isRefused = true
            return true
        }
    }

    private func finish(_ key: Key, _ generation: Int, with result: Result<Value, EvaluationProblem>) {
        let answer = result.map { Held(value: $0, generation: generation) }
        let waiting = entries.withLock { entries -> [Waiter<Answer?>] in
            // One that everybody has left is forgotten, whatever came of it.
            guard let flight = entries[key]?.flight, flight.generation == generation else { return [] }
            entries[key]?.flight = nil
            if case .success(let held) = answer {
                entries[key]?.held = held
                entries[key]?.isRefused = false
            }
            return flight.waiting
        }
        for waiter in waiting { waiter.finish(answer) }
    }

    private func leave(_ key: Key, _ generation: Int, _ waiter: Waiter<Answer?>) {
        let abandoned = entries.withLock { entries -> Task<Void, Never>? in
            guard let flight = entries[key]?.flight, flight.generation == generation else { return nil }
            entries[key]?.flight?.waiting.removeAll { $0 === waiter }
            guard entries[key]?.flight?.waiting.isEmpty == true else { return nil }
            // Whoever comes now must not wait for something that is being cancelled.
            entries[key]?.flight = nil
            return flight.task
        }
        abandoned?.cancel()
        waiter.finish(nil)
    }
}

/// Somebody who waits for one value, which may come before the waiting begins. The first value counts.
private final class Waiter<Value: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Value, Never>)
        case done(Value)
    }

    private let state = Mutex(State.idle)

    /// Waits for the value; to be called once.
    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                if case .done(let value) = state { return value }
                state = .waiting(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }

    /// Gives the value to whoever waits.
    func finish(_ value: Value) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .done: return nil
            case .idle:
                state = .done(value)
                return nil
            case .waiting(let continuation):
                state = .done(value)
                return continuation
            }
        }
        continuation?.resume(returning: value)
    }
}
