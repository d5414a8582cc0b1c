import Synchronization
import WaybillJSON
import WaybillResults

/// Records the events that it receives.
final class EventListener: RunObserver {
    private let events = Mutex<[RunEvent]>([])
    private let news: AsyncStream<Void>
    private let told: AsyncStream<Void>.Continuation

    init() {
        (news, told) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Each event as its type and the step, in order: `step.finished main.a`.
    var lines: [String] {
        events.withLock { $0.map { ([$0.kind.type] + ($0.step.map { [$0] } ?? [])).joined(separator: " ") } }
    }

    /// Waits until an event with this line has arrived. Only one test may wait at a time.
    func wait(for line: String) async {
        for await _ in news {
            if lines.contains(line) {
                told.yield()
                return
            }
        }
    }

    /// All events, in order.
    var all: [RunEvent] { events.withLock { $0 } }

    /// The messages of all warnings, in order.
    var warnings: [String] {
        events.withLock { events in
            events.compactMap { if case .warning(let message, _) = $0.kind { message.string } else { nil } }
        }
    }

    /// The records of `debug`, in order.
    var debugRecords: [JSON] {
        events.withLock { events in
            events.compactMap { if case .requestDebug(_, let record) = $0.kind { record.value } else { nil } }
        }
    }

    /// The kinds of all events, in order.
    var kinds: [RunEvent.Kind] { events.withLock { $0.map(\.kind) } }

    /// Each redirect as its status, method and URL, in order.
    var redirections: [String] {
        events.withLock { events in
            events.compactMap { event in
                guard case .requestRedirected(let redirection) = event.kind else { return nil }
                return "\(redirection.status) \(redirection.method) \(redirection.url.string)"
            }
        }
    }

    func receive(_ event: RunEvent) {
        events.withLock { $0.append(event) }
        told.yield()
    }
}
