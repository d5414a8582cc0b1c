import Synchronization
import WaybillResults
import WaybillTransport

/// Reports a transfer while it is in flight. The transport calls it on its own thread, which must not block: events are
/// noted, and reported before the next event of the attempt.
final class TransferReporter: Sendable {
    private let events: EventStream
    private let step: String
    private let endpoint: String?
    private let attempt: Int
    private let bodySize: Int
    private let reportsSending: Bool
    private let reportsProgress: Bool
    /// The event that the request will be sent, until it has been reported.
    private let announcement: Mutex<(@Sendable (HTTPRequest) -> RunEvent.Kind)?>

    /// A reporter for one attempt of a step's request.
    ///
    /// - Parameters:
    ///   - reportsSending: Whether the end of sending is reported.
    ///   - reportsProgress: Whether the progress is reported.
    ///   - announcement: The event for the first request that is sent, if it is not reported otherwise.
    init(
        _ request: HTTPRequest,
        of step: String,
        endpoint: String? = nil,
        attempt: Int,
        reportsSending: Bool = true,
        reportsProgress: Bool = true,
        announcement: (@Sendable (HTTPRequest) -> RunEvent.Kind)? = nil,
        to events: EventStream
    ) {
        self.reportsSending = reportsSending
        self.reportsProgress = reportsProgress
        self.announcement = Mutex(announcement)
        self.events = events
        self.step = step
        self.endpoint = endpoint
        self.attempt = attempt
        bodySize = request.body.size ?? 0
    }

    /// Notes an event of the transfer.
    func take(_ event: TransferMonitor.Event) {
        let kind: RunEvent.Kind
        switch event {
        case .willSend(let request):
            // Later requests follow redirects, and are reported as redirects.
            guard let announcement = announcement.withLock({ $0.take() }) else { return }
            kind = announcement(request)
        case .sent:
            guard reportsSending else { return }
            kind = .requestSent(attempt: attempt, bytes: bodySize)
        case .progress(let progress):
            guard reportsProgress else { return }
            kind = .requestProgress(.init(attempt: attempt, progress))
        }
        events.note(kind, step: step, endpoint: endpoint)
    }
}

extension ProgressReport {
    /// The progress of a transfer.
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
