import Synchronization
import WaybillResults

/// A time limit of a step or graph, which those inside ask why they were cancelled.
final class Deadline: Sendable {
    private let outer: Deadline?
    private let failure: Failure
    private let isPast = Mutex(false)

    /// A limit inside another, and the failure that passing it is.
    init(inside outer: Deadline?, failure: Failure) {
        self.outer = outer
        self.failure = failure
    }

    /// The failure of the limit that has passed, of the outermost first.
    var passed: Failure? {
        outer?.passed ?? (isPast.withLock { $0 } ? failure : nil)
    }

    /// Whether this limit itself has passed.
    var hasPassed: Bool { isPast.withLock { $0 } }

    /// Notes that the time is over.
    func pass() { isPast.withLock { $0 = true } }
}

extension RunClock {
    /// Does something and cancels it when the deadline's time is over. It has ended in any case when this returns.
    func cancelling<Value: Sendable>(
        after duration: Duration,
        _ deadline: Deadline,
        _ body: @escaping @Sendable () async -> Value
    ) async -> Value {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await body() }
            group.addTask {
                do {
                    try await sleep(for: duration)
                    deadline.pass()
                } catch {
                    // The work was done before, or cancelled from outside.
                }
                return nil
            }
            var value: Value?
            while let next = await group.next() {
                value = value ?? next
                group.cancelAll()
            }
            guard let value else { preconditionFailure("the work in a deadline gives a value") }
            return value
        }
    }
}
