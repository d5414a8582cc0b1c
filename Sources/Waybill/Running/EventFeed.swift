import Synchronization
import WaybillResults

/// Passes the events of a run to its observers, and buffers them for readers of the run as a sequence.
final class EventFeed: RunObserver {
    /// The events that have not been read; the oldest are dropped if there are too many.
    let events: AsyncStream<RunEvent>

    private let continuation: AsyncStream<RunEvent>.Continuation
    private let observers: [any ManifestRun.Observer]
    private let lastRead: Mutex<Int>

    /// Creates a feed of the events after a number.
    init(_ options: ManifestRun.Options, after lastNumber: Int) {
        (events, continuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(max(1, options.eventCapacity))
        )
        observers = options.observers
        lastRead = Mutex(lastNumber)
    }

    func receive(_ event: RunEvent) {
        continuation.yield(event)
        guard !observers.isEmpty else { return }
        let event = ManifestRun.Event(event, missedBefore: 0)
        for observer in observers { observer.receive(event) }
    }

    /// Records that an event was read; returns how many were dropped before it.
    func read(_ number: Int) -> Int {
        lastRead.withLock { last in
            defer { last = max(last, number) }
            return max(0, number - last - 1)
        }
    }

    /// Ends the sequence of events.
    func finish() { continuation.finish() }
}
