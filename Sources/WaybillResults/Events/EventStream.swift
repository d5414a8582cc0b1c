import Synchronization
package import WaybillData

/// Numbers the events of a run, and hands each to the journal first and then to every observer.
package final class EventStream: Sendable {
    private let journal: Journal?
    private let observers: [any RunObserver]
    private let now: @Sendable () -> Timestamp
    private let lastNumber = Mutex(0)

    /// A stream that begins with number 1. An observer must not emit events itself.
    package init(
        journal: Journal?,
        observers: [any RunObserver] = [],
        now: @escaping @Sendable () -> Timestamp = { .now() }
    ) {
        self.journal = journal
        self.observers = observers
        self.now = now
    }

    /// Tells that something happened, in the step of this path. When this returns, the journal has it, or has failed:
    /// see `Journal.error`.
    package func emit(_ kind: RunEvent.Kind, step: String? = nil) {
        lastNumber.withLock { number in
            number += 1
            let event = RunEvent(seq: number, at: now(), step: step, kind: kind)
            journal?.append(event)
            for observer in observers { observer.receive(event) }
        }
    }
}
