import Synchronization
import WaybillResults

/// Gives the events of a run to its observers, and keeps them for whoever reads the run as a sequence.
final class EventFeed: RunObserver {
    /// The events that have not been read; the oldest are left out when there are too many.
    let events: AsyncStream<RunEvent>

    private let continuation: AsyncStream<RunEvent>.Continuation
    private let observers: [any Run.Observer]
    private let lastRead: Mutex<Int>

    /// A feed of events whose numbers come after this one.
    init(_ options: Run.Options, after lastNumber: Int) {
        (events, continuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(max(1, options.eventCapacity))
        )
        observers = options.observers
        lastRead = Mutex(lastNumber)
    }

    func receive(_ event: RunEvent) {
        continuation.yield(event)
        guard !observers.isEmpty else { return }
        let event = Run.Event(event, missedBefore: 0)
        for observer in observers { observer.take(event) }
    }

    /// Notes that an event is read; how many were left out before it.
    func read(_ number: Int) -> Int {
        lastRead.withLock { last in
            defer { last = max(last, number) }
            return max(0, number - last - 1)
        }
    }

    /// Says that no event follows.
    func finish() { continuation.finish() }
}
