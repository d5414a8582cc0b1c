import CLibCurl

extension TransportFailure {
    /// A request that may not be sent.
    static func refused(_ code: CURLcode, _ message: String) -> TransportFailure {
        TransportFailure(kind: .transfer, code: Int32(code.rawValue), message: message)
    }

    /// libcurl could not do what needs memory.
    static var outOfMemory: TransportFailure { .refused(CURLE_OUT_OF_MEMORY, "libcurl has no memory") }

    /// A body that is larger than it may be.
    static func bodyTooLarge(limit: Int) -> TransportFailure {
        TransportFailure(
            kind: .transfer,
            phase: .receiving,
            code: Int32(CURLE_FILESIZE_EXCEEDED.rawValue),
            message: "the body is larger than the limit of \(limit) bytes",
            wasSent: true
        )
    }

    /// The failure of a transfer whose body was not wanted any more.
    static let refusedByReceiver = TransportFailure(
        kind: .cancelled,
        phase: .receiving,
        code: Int32(CURLE_ABORTED_BY_CALLBACK.rawValue),
        message: "the rest of the body was not wanted",
        wasSent: true
    )

    /// The failure that libcurl, or our own refusal, ended a transfer with.
    init(code: CURLcode, transfer: Transfer, report: TransferReport, detail: String) {
        let phase = report.phase(of: transfer)
        let explanation = FailureExplanation(
            code: code,
            transfer: transfer,
            phase: phase,
            report: report,
            detail: detail
        )
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

    /// The failure of a transfer that its task gave up.
    static func cancelled(_ transfer: Transfer) -> TransportFailure {
        stopped(transfer, "the request was cancelled")
    }

    /// The failure of a transfer that the end of the transport ended.
    static func shutDown(_ transfer: Transfer) -> TransportFailure {
        stopped(transfer, shutDownMessage)
    }

    /// The failure of a request that came after the end.
    static let afterShutDown = TransportFailure(
        kind: .cancelled,
        code: Int32(CURLE_ABORTED_BY_CALLBACK.rawValue),
        message: shutDownMessage
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
