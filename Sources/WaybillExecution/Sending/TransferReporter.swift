import Synchronization
import WaybillResults
import WaybillTransport

/// Reports a transfer while it is in flight. The transport calls it on its own thread, which must not block: the events are
/// emitted on another thread, in the same order, and before the next event of the attempt.
final class TransferReporter: Sendable {
    private let events: EventStream
    private let step: String
    private let endpoint: String?
    private let attempt: Int
    private let bodySize: Int
    private let pending = Mutex<[RunEvent.Kind]>([])
    /// Held while events are emitted, so that they keep their order.
    private let reporting = Mutex(())

    /// A reporter for one attempt of a step's request.
    init(_ request: HTTPRequest, of step: String, endpoint: String? = nil, attempt: Int, to events: EventStream) {
        self.events = events
        self.step = step
        self.endpoint = endpoint
        self.attempt = attempt
        bodySize = request.body.size ?? 0
    }

    /// Records an event of the transport, to be reported soon.
    func take(_ event: TransferMonitor.Event) {
        let kind: RunEvent.Kind =
            switch event {
            case .sent: .requestSent(attempt: attempt, bytes: bodySize)
            case .progress(let progress): .requestProgress(.init(attempt: attempt, progress))
            }
        pending.withLock { $0.append(kind) }
        // Not on the thread of the transfers: an observer or the disk must not delay them.
        Task { reportPending() }
    }

    /// Reports the events that were not reported yet.
    func reportPending() {
        reporting.withLock { _ in
            let kinds = pending.withLock { pending in
                defer { pending = [] }
                return pending
            }
            for kind in kinds { events.emit(kind, step: step, endpoint: endpoint) }
        }
    }
}

extension RunEvent.Progress {
    /// How far a transfer is.
    fileprivate init(attempt: Int, _ progress: TransferProgress) {
        self.init(
            attempt: attempt,
            sent: progress.sent,
            sentTotal: progress.sentTotal > 0 ? progress.sentTotal : nil,
            received: progress.received,
            receivedTotal: progress.receivedTotal
        )
    }
}
