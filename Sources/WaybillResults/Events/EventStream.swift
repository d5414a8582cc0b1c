import Synchronization
package import WaybillDiagnostics
package import WaybillFormats

/// Numbers the events of a run, and passes each to the journal first and then to every observer.
///
/// Events that nothing depends on are buffered briefly, so that many are written at once. Observers receive an event
/// after the journal has it.
package final class EventStream: Sendable {
    private struct State {
        var lastNumber: Int
        /// The events that the journal has but the observers have not received.
        var unobserved: [RunEvent] = []
        var isFlushDue = false
    }

    private static let longestWait = Duration.milliseconds(20)

    /// Which requests of the elements of a `forEach`, of which there may be a million, are reported as events.
    package enum ReportedElements: Sendable {
        /// None, unless they have `debug`.
        case none
        /// Those with `trace`, and those that must not be sent twice.
        case traced
        /// All of them, and the progress of their transfers.
        case all
    }

    /// Which requests of the elements of a `forEach` are reported as events.
    package let reportedElements: ReportedElements
    /// Whether the first elements of each step are reported as if all were.
    package let reportsFirstElements: Bool
    /// Whether the bodies of requests and responses are reported with them.
    package let reportsBodies: Bool

    /// The number of elements of a step that are the first ones.
    package static let firstElements = 10_000

    /// Whether the requests of an element at a path are reported as events. Of a `forEach` in another one, so many elements
    /// are the first ones that both together have not many more.
    package func reportsElement(at path: String) -> Bool {
        if reportedElements == .all { return true }
        guard reportsFirstElements else { return false }
        var product = 1
        for part in path.utf8.split(separator: UInt8(ascii: "[")).dropFirst() {
            let index = part.prefix { $0 != UInt8(ascii: "]") }.reduce(0) { min($0 * 10 + Int($1) - 48, 1 << 30) }
            product = min(product * (index + 1), 1 << 30)
        }
        return product <= Self.firstElements
    }

    private let journal: Journal?
    private let observers: [any RunObserver]
    /// Returns the time of an event that happens now.
    package let now: @Sendable () -> Timestamp
    private let state: Mutex<State>
    /// Events that were noted and have no number yet, and whether a flush for them is due. Not locked during any
    /// writing.
    private let noted = Mutex<(events: [RunEvent], isFlushDue: Bool)>(([], false))

    /// Creates a stream whose first event has the number after `number`. An observer must not emit events itself.
    package init(
        journal: Journal?,
        observers: [any RunObserver] = [],
        after lastNumber: Int = 0,
        reportedElements: ReportedElements = .none,
        reportsFirstElements: Bool = false,
        reportsBodies: Bool = false,
        now: @escaping @Sendable () -> Timestamp = { .now() }
    ) {
        self.journal = journal
        self.reportedElements = reportedElements
        self.reportsFirstElements = reportsFirstElements
        self.reportsBodies = reportsBodies
        self.observers = observers
        self.now = now
        state = Mutex(State(lastNumber: lastNumber))
    }

    /// Emits an event, in the step at a path.
    ///
    /// When this returns for an event that others may depend on, the journal has it or has failed: see `Journal.error`.
    /// Other events follow with the next such event, or within 20 ms.
    package func emit(
        _ kind: RunEvent.Kind,
        step: String? = nil,
        endpoint: String? = nil,
        durably: Bool? = nil
    ) {
        let startsWait = state.withLock { state -> Bool in
            takeNoted(&state)
            let isFull = add(unnumbered(kind, step, endpoint), to: &state)
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

    /// Records an event from a thread that must not wait for the disk or an observer. It precedes the next event that
    /// is emitted, and is passed on within 20 ms at the latest.
    package func note(_ kind: RunEvent.Kind, step: String? = nil, endpoint: String? = nil) {
        let event = unnumbered(kind, step, endpoint)
        let startsWait = noted.withLock { noted in
            noted.events.append(event)
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

    /// Passes on all buffered events.
    package func flush() {
        state.withLock { state in
            state.isFlushDue = false
            takeNoted(&state)
            deliver(&state)
        }
    }

    /// Waits until the observers are ready for the events of another request, as long as a condition holds and the task
    /// is not cancelled.
    package func waitForRoom(while condition: @Sendable () -> Bool) async {
        for observer in observers { await observer.waitForRoom(while: condition) }
    }

    private func takeNoted(_ state: inout State) {
        let events = noted.withLock { noted in
            defer { noted.events = [] }
            return noted.events
        }
        for event in events { _ = add(event, to: &state) }
    }

    /// Returns an event that happens now, and gets its number when it is added.
    private func unnumbered(_ kind: RunEvent.Kind, _ step: String?, _ endpoint: String?) -> RunEvent {
        RunEvent(seq: 0, at: now(), step: step, endpoint: endpoint, kind: kind)
    }

    /// Assigns a number to an event, and returns whether so many are buffered that it is time to flush.
    private func add(_ event: RunEvent, to state: inout State) -> Bool {
        state.lastNumber += 1
        var event = event
        event.seq = state.lastNumber
        if !observers.isEmpty { state.unobserved.append(event) }
        return journal?.append(event) ?? true
    }

    private func deliver(_ state: inout State) {
        journal?.flush()
        for event in state.unobserved {
            for observer in observers { observer.receive(event) }
        }
        state.unobserved.removeAll(keepingCapacity: true)
    }
}

extension RunEvent.Kind {
    /// Whether actions may follow from the event that must not happen unless it is recorded.
    fileprivate var isDependedOn: Bool {
        switch self {
        case .runStarted, .runFinished, .graphStarted, .graphFinishing, .graphFinished, .stepFinished: true
        default: false
        }
    }
}

/// A receiver of a run's events: a progress display, a reporter, or the caller's own code.
package protocol RunObserver: Sendable {
    /// Receives an event. Events arrive one at a time, in the order of their numbers. The run waits during the call, so
    /// lengthy work must be done elsewhere.
    func receive(_ event: RunEvent)

    /// Waits until the observer is ready for the events of another request, as long as a condition holds and the task is
    /// not cancelled. Observers that pass events on to a reader, which may be slow, keep the others in memory.
    func waitForRoom(while condition: @Sendable () -> Bool) async
}

extension RunObserver {
    /// Returns at once.
    package func waitForRoom(while condition: @Sendable () -> Bool) async {}
}

/// An observer that exports the trace of a run.
package protocol TraceObserver: RunObserver {
    /// Exports what is left, after the last event. Returns a warning if spans were lost.
    func finish() async -> Diagnostic?
}
