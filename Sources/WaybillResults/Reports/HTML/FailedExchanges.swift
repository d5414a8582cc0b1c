/// The last exchanges of failed steps, and of failed elements if the journal has them.
struct FailedExchanges {
    /// The maximum number of elements of a step whose exchanges are shown.
    static let shownElements = 20

    private var exchanges: [String: Exchange] = [:]

    /// Reads the journal of a run, if any of the steps failed.
    init(of steps: [StepResult], in run: ReportedRun) throws(ResultsError) {
        var wanted: Set<String> = []
        for step in steps {
            guard let elements = step.elements else {
                wanted.insert(step.path)
                continue
            }
            for failure in elements.failures.prefix(Self.shownElements) {
                wanted.insert("\(step.path)[\(failure.index)]")
            }
        }
        guard !wanted.isEmpty else { return }
        var exchanges: [String: Exchange] = [:]
        try run.exchanges { exchange in
            guard let key = Self.key(of: exchange.step, in: wanted) else { return }
            if exchange.failure != nil || exchanges[key]?.failure == nil { exchanges[key] = exchange }
        }
        self.exchanges = exchanges
    }

    /// Returns the exchange of a step, such as `main.login`, or of an element, such as `main.each[3]`.
    subscript(path: String) -> Exchange? { exchanges[path] }

    /// Returns the step or element that a step belongs to: `main.each[3]` for `main.each[3].login`.
    private static func key(of step: String, in wanted: Set<String>) -> String? {
        if wanted.contains(step) { return step }
        var rest = step[...]
        while let end = rest.lastIndex(of: "]") {
            let element = String(step[...end])
            if wanted.contains(element) { return element }
            rest = rest[..<end]
        }
        return nil
    }
}
