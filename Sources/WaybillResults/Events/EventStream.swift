import Synchronization
package import WaybillFormats

/// Numbers the events of a run, and hands each to the journal first and then to every observer.
///
/// Events that nothing depends on are held for a moment, so that many are written together; observers are told when the
/// journal has them.
package final class EventStream: Sendable {
    private struct State {
        var lastNumber: Int
        /// What the journal has and the observers have not been told of.
        var untold: [RunEvent] = []
        var isFlushDue = false
    }

    private static let longestWait = Duration.milliseconds(20)

    /// Whether the requests of the elements of a `forEach`, of which there may be a million, are events too.
    package let reportsElements: Bool

    private let journal: Journal?
    private let observers: [any RunObserver]
    private let now: @Sendable () -> Timestamp
    private let state: Mutex<State>

    /// A stream whose first event has the number after this one. An observer must not emit events itself.
    package init(
        journal: Journal?,
        observers: [any RunObserver] = [],
        after lastNumber: Int = 0,
        reportsElements: Bool = false,
        now: @escaping @Sendable () -> Timestamp = { .now() }
    ) {
        self.journal = journal
        self.reportsElements = reportsElements
        self.observers = observers
        self.now = now
        state = Mutex(State(lastNumber: lastNumber))
    }

    /// Tells that something happened, in the step of this path.
    ///
    /// When this returns for an event that something may depend on, the journal has it, or has failed: see
    /// `Journal.error`. Others follow with the next of those, or within 20 ms.
    package func emit(
        _ kind: RunEvent.Kind,
        step: String? = nil,
        endpoint: String? = nil,
        durably: Bool? = nil
    ) {
        let startsWait = state.withLock { state -> Bool in
            state.lastNumber += 1
            let event = RunEvent(seq: state.lastNumber, at: now(), step: step, endpoint: endpoint, kind: kind)
            let isFull = journal?.append(event) ?? true
            if !observers.isEmpty { state.untold.append(event) }
            if isFull || durably ?? kind.isDependedOn {
                deliver(&state)
                return false
            }
            defer { state.isFlushDue = true }
            return !state.isFlushDue
        }
        if startsWait {
            journal?.later(after: Self.longestWait) { [weak self] in self?.flush() }
        }
    }

    /// Hands over what is held.
    package func flush() {
        state.withLock { state in
            state.isFlushDue = false
            deliver(&state)
        }
    }

    private func deliver(_ state: inout State) {
        journal?.flush()
        for event in state.untold {
            for observer in observers { observer.receive(event) }
        }
        state.untold.removeAll(keepingCapacity: true)
    }
}

extension RunEvent.Kind {
    /// Whether something may follow from the event that must not happen without it.
    fileprivate var isDependedOn: Bool {
        switch self {
        case .runStarted, .runFinished, .graphStarted, .graphFinishing, .graphFinished, .stepFinished: true
        default: false
        }
    }
}
