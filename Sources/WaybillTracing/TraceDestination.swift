import WaybillDiagnostics

/// Where encoded spans are sent.
protocol TraceDestination: Sendable {
    /// The name for messages, without credentials.
    var name: String { get }
    /// Sends an encoded request for the export of spans.
    func send(_ request: [UInt8]) async -> TraceDelivery
    /// Releases connections and threads.
    func close() async
}

/// What became of an export request.
enum TraceDelivery: Sendable, Equatable {
    /// The spans arrived, but perhaps not all were accepted.
    case accepted(rejected: Int, message: String?)
    /// The collector asks to send the request again later.
    case later(after: Duration?, reason: String)
    /// The collector cannot be reached now.
    case unreachable(reason: String)
    /// The request must not be sent again.
    case refused(reason: String)
}
