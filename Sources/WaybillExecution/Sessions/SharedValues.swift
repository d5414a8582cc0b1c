import Synchronization
import WaybillManifest

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

    /// The value, or the failure of computing it.
    typealias Outcome = Result<Held, EvaluationFailure>

    private struct Entry {
        var held: Held?
        var isRefused = false
        /// What gets another value.
        var work: SharedWork<Outcome>?
        var generation = 0
    }

    private enum Source {
        case known(Held)
        case work(SharedWork<Outcome>, SharedWork<Outcome>.Place)
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// How many wait for the value of a key to be got; tests wait for them to come.
    func waitingCount(of key: Key) -> Int { entries.withLock { $0[key]?.work?.waitingCount ?? 0 } }

    /// The value of a key: the one that is there, if it is still good, or else another.
    ///
    /// - Parameter get: Gets one; it is told which one was there before. Whoever asks next after a failure tries again.
    func value(
        of key: Key,
        isGood: (Value) -> Bool = { _ in true },
        get: @escaping @Sendable (_ previous: Value?) async -> Result<Value, EvaluationFailure>
    ) async -> Outcome? {
        guard !Task.isCancelled else { return nil }
        let source = entries.withLock { entries -> Source in
            var entry = entries[key] ?? Entry()
            // There is no place in work that everybody has left: it is being cancelled.
            if let work = entry.work, let place = work.join() { return .work(work, place) }
            if let held = entry.held, !entry.isRefused, isGood(held.value) { return .known(held) }
            let work = SharedWork<Outcome>()
            guard let place = work.join() else { preconditionFailure("nobody has given the work up") }
            entry.generation += 1
            entry.work = work
            entries[key] = entry
            let (generation, previous) = (entry.generation, entry.held?.value)
            work.start { [self] in
                let outcome = await get(previous).map { Held(value: $0, generation: generation) }
                finish(key, generation, with: outcome)
                return outcome
            }
            return .work(work, place)
        }
        switch source {
        case .known(let held): return .success(held)
        case .work(let work, let place): return await work.value(for: place)
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

    private func finish(_ key: Key, _ generation: Int, with outcome: Outcome) {
        entries.withLock { entries in
            // What comes of work that other work has taken the place of is forgotten.
            guard entries[key]?.generation == generation else { return }
            entries[key]?.work = nil
            if case .success(let held) = outcome {
                entries[key]?.held = held
                entries[key]?.isRefused = false
            }
        }
    }
}
