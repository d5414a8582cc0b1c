import Synchronization
import WaybillManifest

/// Values that are fetched once and shared: the first caller starts fetching, all others wait for the same value, and
/// it is kept until it is refused.
///
/// A caller whose task is cancelled returns immediately. Fetching is cancelled when no caller waits for the value any
/// more.
final class SharedValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A value with a generation, which tells a refused value from one that was fetched since.
    struct Held: Sendable {
        let value: Value
        let generation: Int
    }

    /// The value, or the failure of fetching it.
    typealias Outcome = Result<Held, EvaluationFailure>

    private struct Entry {
        var held: Held?
        var isRefused = false
        /// The work that fetches another value.
        var work: SharedWork<Outcome>?
        var generation = 0
    }

    private enum Source {
        case known(Held)
        case work(SharedWork<Outcome>, SharedWork<Outcome>.Ticket)
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// The number of tasks that wait for the value of a key to be fetched, for tests.
    func waitingCount(of key: Key) -> Int { entries.withLock { $0[key]?.work?.waitingCount ?? 0 } }

    /// Returns the value of a key: the current one if it is still good, otherwise a new one.
    ///
    /// - Parameter get: Fetches a value, given the previous one. After a failure, the next call tries again.
    func value(
        of key: Key,
        isGood: (Value) -> Bool = { _ in true },
        get: @escaping @Sendable (_ previous: Value?) async -> Result<Value, EvaluationFailure>
    ) async -> Outcome? {
        guard !Task.isCancelled else { return nil }
        let source = entries.withLock { entries -> Source in
            var entry = entries[key] ?? Entry()
            // Abandoned work gives no tickets, because it is being cancelled.
            if let work = entry.work, let ticket = work.join() { return .work(work, ticket) }
            if let held = entry.held, !entry.isRefused, isGood(held.value) { return .known(held) }
            let work = SharedWork<Outcome>()
            entry.generation += 1
            entry.work = work
            entries[key] = entry
            let (generation, previous) = (entry.generation, entry.held?.value)
            work.start { [self] in
                let outcome = await get(previous).map { Held(value: $0, generation: generation) }
                finish(key, generation, with: outcome)
                return outcome
            }
            return .work(work, work.firstTicket)
        }
        switch source {
        case .known(let held): return .success(held)
        case .work(let work, let ticket): return await work.value(for: ticket)
        }
    }

    /// Notes that a value was refused; returns whether that is new.
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
            // The result of work that was replaced by other work is ignored.
            guard entries[key]?.generation == generation else { return }
            entries[key]?.work = nil
            if case .success(let held) = outcome {
                entries[key]?.held = held
                entries[key]?.isRefused = false
            }
        }
    }
}
