import CLibCurl

extension TransportFailure {
    /// The failure of a request that must not be sent.
    static func refused(_ code: CURLcode, _ message: String) -> TransportFailure {
        TransportFailure(kind: .transfer, code: Int32(code.rawValue), message: message)
    }

    /// The failure when libcurl cannot allocate memory.
    static var outOfMemory: TransportFailure { .refused(CURLE_OUT_OF_MEMORY, "libcurl ran out of memory") }

    /// The failure of a body that exceeds its limit.
    static func bodyTooLarge(limit: Int) -> TransportFailure {
        TransportFailure(
            kind: .transfer,
            phase: .receiving,
            code: Int32(CURLE_FILESIZE_EXCEEDED.rawValue),
            message: "the body is larger than the limit of \(limit) bytes",
            wasSent: true
        )
    }

    /// The failure of a transfer whose receiver refused the rest of the body.
    package static let refusedByReceiver = TransportFailure(
        kind: .cancelled,
        phase: .receiving,
        code: Int32(CURLE_ABORTED_BY_CALLBACK.rawValue),
        message: "the receiver refused the rest of the body",
        wasSent: true
    )

    /// Creates the failure of a transfer that ended with a code of libcurl or was refused.
    init(code: CURLcode, transfer: Transfer, report: TransferReport, detail: String) {
        var phase = report.phase(of: transfer)
        let explanation = transfer.explanation(of: code, in: phase, report, detail: detail)
        // A handshake may fail before libcurl waits for a part of it, which is how a connection is noticed.
        if explanation.kind == .tls, [.resolving, .connecting].contains(phase) { phase = .securing }
        self.init(
            kind: explanation.kind,
            phase: phase,
            code: Int32(explanation.code.rawValue),
            message: explanation.message,
            timings: report.timings,
            wasSent: transfer.wasSent
        )
        repetitions = transfer.repetitions
    }

    /// The failure of a transfer whose task was cancelled.
    static func cancelled(_ transfer: Transfer) -> TransportFailure {
        stopped(transfer, "the request was cancelled")
    }

    /// The failure of a transfer that was in flight when the transport was shut down.
    static func shutDown(_ transfer: Transfer) -> TransportFailure {
        stopped(transfer, shutDownMessage)
    }

    /// The failure of a request that was sent after the transport was shut down.
    static let afterShutDown = TransportFailure(
        kind: .cancelled,
        code: Int32(CURLE_ABORTED_BY_CALLBACK.rawValue),
        message: shutDownMessage
    )

    /// The failure of a request whose task was cancelled before it was sent.
    package static let cancelledBeforeSending = TransportFailure(
        kind: .cancelled,
        code: Int32(CURLE_ABORTED_BY_CALLBACK.rawValue),
        message: "the request was cancelled"
    )

    private static let shutDownMessage = "the transport was shut down"

    private static func stopped(_ transfer: Transfer, _ message: String) -> TransportFailure {
        let report = transfer.handle.map(TransferReport.init)
        return TransportFailure(
            kind: .cancelled,
            phase: report?.phase(of: transfer) ?? .waiting,
            code: Int32(CURLE_ABORTED_BY_CALLBACK.rawValue),
            message: message,
            timings: report?.timings ?? .zero,
            wasSent: transfer.wasSent
        )
    }
}
