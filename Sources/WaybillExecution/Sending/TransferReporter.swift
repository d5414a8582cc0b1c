import WaybillResults
import WaybillTransport

/// Reports a transfer while it is in flight. What the transport says comes on its own thread, where nothing may be waited
/// for: the events are noted, and come before anything else that is reported of the attempt.
struct TransferReporter: Sendable {
    private let events: EventStream
    private let step: String
    private let endpoint: String?
    private let attempt: Int
    private let bodySize: Int

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
        events.note(kind, step: step, endpoint: endpoint)
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
