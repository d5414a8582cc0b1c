import DequeModule
import Synchronization
import WaybillResults
import WaybillRuntime

/// Passes the events of a run to its observers, and buffers them for readers of the run as a sequence.
final class EventFeed: RunObserver {
    private struct State {
        /// The events that have not been read; the oldest are dropped if there are too many.
        var events: Deque<RunEvent> = []
        /// The readers that wait for the next event, in the order of their calls.
        var readers: Deque<Awaited<RunEvent?>> = []
        var isFinished = false
        var lastRead: Int
    }

    private let capacity: Int
    private let observers: [any ManifestRun.Observer]
    private let state: Mutex<State>

    /// Creates a feed of the events after a number.
    init(_ options: ManifestRun.Options, after lastNumber: Int) {
        capacity = max(1, options.eventCapacity)
        observers = options.observers
        state = Mutex(State(lastRead: lastNumber))
    }

    func receive(_ event: RunEvent) {
        let reader = state.withLock { state in
            let reader = state.readers.popFirst()
            if reader == nil {
                if state.events.count == capacity { state.events.removeFirst() }
                state.events.append(event)
            }
            return reader
        }
        reader?.set(event)
        guard !observers.isEmpty else { return }
        let event = ManifestRun.Event(event, missedBefore: 0)
        for observer in observers { observer.receive(event) }
    }

    /// Removes and returns the next event; waits until it occurs. Returns `nil` after the last one, and if the
    /// task is cancelled, which does not affect other readers.
    func next() async -> ManifestRun.Event? {
        let reader = Awaited<RunEvent?>()
        state.withLock { state in
            if let event = state.events.popFirst() {
                reader.set(event)
            } else if state.isFinished {
                reader.set(nil)
            } else {
                state.readers.append(reader)
            }
        }
        let event = await reader.value {
            // If the reader is not in the list, it has received an event, which must not be lost.
            let isWaiting = state.withLock { state in
                let count = state.readers.count
                state.readers.removeAll { $0 === reader }
                return state.readers.count < count
            }
            if isWaiting { reader.set(nil) }
        }
        guard let event else { return nil }
        let missed = state.withLock { state in
            defer { state.lastRead = max(state.lastRead, event.seq) }
            return max(0, event.seq - state.lastRead - 1)
        }
        return ManifestRun.Event(event, missedBefore: missed)
    }

    /// Ends the sequence of events.
    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.set(nil) }
    }
}
