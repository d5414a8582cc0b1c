import CLibCurl

/// One request under way, and what has come of its answer. Lives on the engine's thread.
final class Transfer {
    /// What is sent.
    let prepared: PreparedRequest
    /// Says that the task does not want the answer any more.
    let cancellation: Cancellation
    /// The easy handle while libcurl works for the transfer.
    var handle: EasyHandle?
    /// What became of the transfer.
    private var outcome: TransferOutcome?

    /// The lines of the answer's header.
    private(set) var head = ResponseHeadCollector()
    /// The decoded body so far.
    private(set) var body: [UInt8] = []
    /// Why we, not libcurl, end the transfer.
    private(set) var refusal: Refusal?
    /// Whether the request was given to a connection.
    private(set) var wasSent = false

    private let delivery: Delivery

    /// A transfer that hands its outcome over by a continuation.
    init(_ prepared: PreparedRequest, cancellation: Cancellation, delivery: Delivery) {
        self.prepared = prepared
        self.cancellation = cancellation
        self.delivery = delivery
    }

    /// Whether there is an outcome.
    var hasEnded: Bool { outcome != nil }

    /// Takes the outcome, which is the last thing to happen before it is delivered. The first one counts.
    func end(with outcome: TransferOutcome) {
        if self.outcome == nil { self.outcome = outcome }
    }

    /// Hands the outcome over to the task that waits for it. To be called once, after the end.
    func deliver() {
        guard let outcome else { return }
        delivery.resume(returning: outcome)
    }

    /// Takes a part of the decoded body. False ends the transfer.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= prepared.request.maximumBodyBytes - body.count else {
            refusal = .bodyTooLarge
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// Takes a line of the answer's header, or of its trailers. False ends the transfer.
    func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard head.append(line) else {
            refusal = .headerTooLarge
            return false
        }
        return true
    }

    /// Asked each time before the request is given to a connection. libcurl gives it to another one by itself when a
    /// kept connection ended without an answer; the server may have done the work, so only idempotent requests may go.
    func mayBeSent() -> Bool {
        guard !wasSent || prepared.request.isIdempotent else {
            refusal = .sentTwice
            return false
        }
        wasSent = true
        return true
    }

    /// Why a transfer is ended by us.
    enum Refusal {
        case bodyTooLarge, headerTooLarge, sentTwice
    }
}
