import WaybillResults

extension StepResult: CustomStringConvertible {
    /// `main.login failed 401: accounts.yaml:12:5: status: the status is 401, not 2xx`
    public var description: String {
        let parts = [path, outcome.rawValue, status.map(String.init), elements.map { "(\($0.counts))" }]
        return parts.compactMap(\.self).joined(separator: " ") + (failure.map { ": \($0)" } ?? "")
    }
}

extension OutcomeCounts: CustomStringConvertible {
    /// The counts that are not 0, failures first: `1 failed, 3 passed`.
    public var description: String { summary }
}

extension OutcomeCounts: ExpressibleByDictionaryLiteral {
    /// Creates counts; those of outcomes that are not named are 0.
    public init(dictionaryLiteral elements: (StepOutcome, Int)...) {
        self.init(Dictionary(elements) { _, last in last })
    }
}

extension ElementResults: CustomStringConvertible {
    /// The counts, and a line for each failure that is kept.
    public var description: String {
        ([counts.description] + failures.map { "  [\($0.index)] \($0.failure)" }).joined(separator: "\n")
    }
}

extension ByteCounts: CustomStringConvertible {
    /// `120 bytes sent, 4096 bytes received`
    public var description: String { "\(sent) bytes sent, \(received) bytes received" }
}

extension RedactedHeader: CustomStringConvertible {
    /// `Content-Type: application/json`
    public var description: String { "\(name): \(value)" }
}

extension Failure.Detail: CustomStringConvertible {
    /// `accounts.yaml:12:5: the first order is worth nothing`
    public var description: String { "\(location.map { "\($0): " } ?? "")\(message)" }
}
