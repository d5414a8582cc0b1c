import WaybillJSON

/// How a step finished.
public enum StepOutcome: String, Sendable, CaseIterable {
    /// Everything succeeded.
    case passed
    /// The step failed, and so does the step or graph that contains it.
    case failed
    /// The step failed, but the manifest lets the run continue and pass (`onFailure: continue`).
    case tolerated
    /// The step was not started.
    case skipped
    /// The step was cancelled from outside while it ran.
    case cancelled
}

/// How a run finished.
public enum RunOutcome: String, Sendable, CaseIterable {
    /// Everything passed, or its failures were tolerated.
    case passed
    /// At least one step failed.
    case failed
    /// The run was stopped before it finished.
    case interrupted
}

/// The number of steps, or elements of a forEach, by outcome.
public struct OutcomeCounts: Sendable, Equatable {
    /// The counts that are not 0.
    private var counts: [StepOutcome: Int] = [:]

    /// Creates counts; those of outcomes that are not named are 0.
    public init(_ counts: [StepOutcome: Int] = [:]) {
        self.counts = counts.filter { $0.value != 0 }
    }

    /// Counts steps by outcome; see `StepResult.isCounted`.
    package init(of steps: [StepResult]) {
        for index in steps.indices where steps[index].isCounted { self[steps[index].outcome] += 1 }
    }

    /// Reads the counts from JSON.
    init(json: JSON) {
        for outcome in StepOutcome.allCases { self[outcome] = json[outcome.rawValue]?.count ?? 0 }
    }

    /// The number with this outcome.
    public subscript(outcome: StepOutcome) -> Int {
        get { counts[outcome, default: 0] }
        set { counts[outcome] = newValue == 0 ? nil : newValue }
    }

    /// The number with any outcome.
    public var total: Int { counts.values.reduce(0, +) }
}

extension OutcomeCounts: JSONStreamable {
    /// Writes a count for every outcome, including those that did not occur.
    package func addMembers(to object: inout JSONStream) {
        for outcome in StepOutcome.allCases { object.add(named: outcome.rawValue, self[outcome]) }
    }
}
