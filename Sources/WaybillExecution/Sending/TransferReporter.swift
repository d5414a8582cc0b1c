import Synchronization
import WaybillResults
import WaybillTransport

/// Reports a transfer while it is in flight. The transport calls it on its own thread, where nothing may be waited for:
/// it is told from elsewhere, in the same order, and all of it before anything else of the attempt is.
final class TransferReporter: Sendable {
    private let events: EventStream
    private let step: String
    private let endpoint: String?
    private let attempt: Int
    private let bodySize: Int
    private let untold = Mutex<[RunEvent.Kind]>([])
    /// Held while events are told, so that they are told in order.
    private let telling = Mutex(())

    /// A reporter for one attempt of a step's request.
    init(_ request: HTTPRequest, of step: String, endpoint: String? = nil, attempt: Int, to events: EventStream) {
        self.events = events
        self.step = step
        self.endpoint = endpoint
        self.attempt = attempt
        bodySize = request.body.size ?? 0
    }

    /// Takes what the transport says.
    func take(_ event: TransferMonitor.Event) {
        let kind: RunEvent.Kind =
            switch event {
            case .sent: .requestSent(attempt: attempt, bytes: bodySize)
            case .progress(let progress): .requestProgress(.init(attempt: attempt, progress))
            }
        untold.withLock { $0.append(kind) }
        // Not on the thread of the transfers: an observer or the disk must not delay them.
        Task { tell() }
    }

    /// Tells what has not been told yet.
    func tell() {
        telling.withLock { _ in
            let kinds = untold.withLock { untold in
                defer { untold = [] }
                return untold
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
