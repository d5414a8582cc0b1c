import Synchronization
import WaybillData
import WaybillResults

/// Remembers what it is told.
final class EventListener: RunObserver {
    private let events = Mutex<[RunEvent]>([])

    /// All that it was told, in order.
    var all: [RunEvent] { events.withLock { $0 } }

    /// The words of all warnings, in order.
    var warnings: [String] {
        events.withLock { events in
            events.compactMap { if case .warning(let message, _) = $0.kind { message.string } else { nil } }
        }
    }

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
    }
}
