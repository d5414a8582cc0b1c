import Synchronization
package import WaybillFormats

/// Numbers the events of a run, and hands each to the journal first and then to every observer.
///
/// Events that nothing depends on are held for a moment, so that many are written together; observers are told when the
/// journal has them.
package final class EventStream: Sendable {
    /// Something that happened, without its number.
    private struct Occurrence {
        var kind: RunEvent.Kind
        var step: String?
        var endpoint: String?
        var at: Timestamp
    }

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
    /// What was noted and has no number yet, and whether a flush for it is due. It is not locked while anything is written.
    private let noted = Mutex<(occurrences: [Occurrence], isFlushDue: Bool)>(([], false))

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
            takeNoted(&state)
            let isFull = add(Occurrence(kind: kind, step: step, endpoint: endpoint, at: now()), to: &state)
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

    /// Notes that something happened, from a thread that must not wait for the disk or an observer. The event comes before
    /// the next one that is emitted, or within 20 ms.
    package func note(_ kind: RunEvent.Kind, step: String? = nil, endpoint: String? = nil) {
        let occurrence = Occurrence(kind: kind, step: step, endpoint: endpoint, at: now())
        let startsWait = noted.withLock { noted in
            noted.occurrences.append(occurrence)
            defer { noted.isFlushDue = true }
            return !noted.isFlushDue
        }
        guard startsWait else { return }
        let flush: @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            noted.withLock { $0.isFlushDue = false }
            self.flush()
        }
        if let journal { journal.later(after: Self.longestWait, flush) } else { Task { flush() } }
    }

    /// Hands over what is held.
    package func flush() {
        state.withLock { state in
            state.isFlushDue = false
            takeNoted(&state)
            deliver(&state)
        }
    }

    private func takeNoted(_ state: inout State) {
        let occurrences = noted.withLock { noted in
            defer { noted.occurrences = [] }
            return noted.occurrences
        }
        for occurrence in occurrences { _ = add(occurrence, to: &state) }
    }

    /// Gives an event its number; whether so much is held that it is time to hand it over.
    private func add(_ occurrence: Occurrence, to state: inout State) -> Bool {
        state.lastNumber += 1
        let event = RunEvent(
            seq: state.lastNumber,
            at: occurrence.at,
            step: occurrence.step,
            endpoint: occurrence.endpoint,
            kind: occurrence.kind
        )
        if !observers.isEmpty { state.untold.append(event) }
        return journal?.append(event) ?? true
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

/// Somebody who is told what happens in a run: a progress display, a reporter, the caller's own code.
package protocol RunObserver: Sendable {
    /// Takes an event. Events come one at a time and in the order of their numbers; the run waits meanwhile, so what
    /// takes long has to be done elsewhere.
    func receive(_ event: RunEvent)
}
