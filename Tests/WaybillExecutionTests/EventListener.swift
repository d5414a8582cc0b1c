import Synchronization
import WaybillJSON
import WaybillResults

/// Remembers what it is told.
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

    /// Waits until an event has come, by its line. One test may wait at a time.
    func wait(for line: String) async {
        for await _ in news {
            if lines.contains(line) {
                told.yield()
                return
            }
        }
    }

    /// All that it was told, in order.
    var all: [RunEvent] { events.withLock { $0 } }

    /// The words of all warnings, in order.
    var warnings: [String] {
        events.withLock { events in
            events.compactMap { if case .warning(let message, _) = $0.kind { message.string } else { nil } }
        }
    }

    /// What `debug` had told, in order.
    var debugRecords: [JSON] {
        events.withLock { events in
            events.compactMap { if case .requestDebug(_, let record) = $0.kind { record.value } else { nil } }
        }
    }

    /// What has happened, in order.
    var kinds: [RunEvent.Kind] { events.withLock { $0.map(\.kind) } }

    /// What each redirect led to, in order.
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
