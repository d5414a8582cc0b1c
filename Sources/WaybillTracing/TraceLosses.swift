import WaybillDiagnostics

/// The spans of a run that did not arrive, and why.
struct TraceLosses: Sendable, Equatable {
    /// Spans that were not sent because too many waited.
    var dropped = 0
    /// Spans that could not be sent.
    private(set) var failed = 0
    /// Why the first of them could not be sent.
    private(set) var reason: String?
    /// Spans that the collector did not accept.
    private(set) var rejected = 0
    /// What the collector reports about those that it did not accept, or about the others.
    private(set) var message: String?

    /// Counts spans that could not be sent.
    mutating func fail(_ count: Int, _ reason: String) {
        guard count > 0 else { return }
        failed += count
        self.reason = self.reason ?? reason
    }

    /// Counts spans that the collector did not accept.
    mutating func reject(_ count: Int, _ message: String?) {
        rejected += count
        self.message = self.message ?? message
    }

    /// The warning about everything that was lost, or what the collector reports about spans that it accepted; `nil` if
    /// there is neither.
    func warning(about destination: String) -> Diagnostic? {
        func spans(_ count: Int) -> String { count == 1 ? "1 span was" : "\(count) spans were" }
        var parts: [String] = []
        if failed > 0 { parts.append("\(spans(failed)) not sent: \(reason ?? "")") }
        if dropped > 0 { parts.append("\(spans(dropped)) dropped, because it is slower than the run") }
        if rejected > 0 { parts.append("\(spans(rejected)) rejected" + (message.map { ": \($0)" } ?? "")) }
        guard !parts.isEmpty else {
            return message.map { Diagnostic.traces("\(destination) accepted the trace with a warning: \($0)") }
        }
        return Diagnostic.traces("the trace is not complete at \(destination): \(parts.joined(separator: "; "))")
    }
}
