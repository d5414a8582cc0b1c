import WaybillJSON

/// How a step ended.
package enum StepOutcome: String, Sendable, CaseIterable {
    /// All went as it should.
    case passed
    /// It failed, and so does what it is in.
    case failed
    /// It failed, and the manifest lets the run go on and pass (`onFailure: continue`).
    case tolerated
    /// It never began.
    case skipped
    /// It was stopped from outside while it ran.
    case cancelled
}

extension StepOutcome {
    /// The outcome's place among all cases.
    fileprivate var place: Int {
        switch self {
        case .passed: 0
        case .failed: 1
        case .tolerated: 2
        case .skipped: 3
        case .cancelled: 4
        }
    }
}

/// How a run ended.
package enum RunOutcome: String, Sendable, CaseIterable {
    /// Everything passed, or its failures were tolerated.
    case passed
    /// At least one step failed.
    case failed
    /// Somebody stopped the run before its end.
    case interrupted
}

/// How many steps, or elements of a forEach, ended in each way.
package struct OutcomeCounts: Sendable, Equatable {
    /// By the outcomes' places among all cases.
    private var counts = [Int](repeating: 0, count: StepOutcome.allCases.count)

    /// No step at all.
    package init() {}

    /// Counts how steps ended.
    package init(of steps: [StepResult]) {
        for index in steps.indices { self[steps[index].outcome] += 1 }
    }

    /// The counts as `json` has them.
    init(json: JSON) {
        for outcome in StepOutcome.allCases { self[outcome] = json[outcome.rawValue]?.count ?? 0 }
    }

    /// How many ended in this way.
    package subscript(outcome: StepOutcome) -> Int {
        get { counts[outcome.place] }
        set { counts[outcome.place] = newValue }
    }

}

extension OutcomeCounts: JSONStreamable {
    /// An object with a count for every outcome, also for those that did not occur.
    package func addMembers(to object: inout JSONStream) {
        for outcome in StepOutcome.allCases { object.add(named: outcome.rawValue, self[outcome]) }
    }
}
