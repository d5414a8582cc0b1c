import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// The record of one element for `steps.ID.items`.
struct ElementRecord: Sendable {
    /// The element.
    var item: ScopeValue
    /// The record of the step for the element; `nil` if it was not run.
    var record: StepRecord?
}

/// The results of the elements of a `forEach`, collected as they finish.
struct ForEachSummary: Sendable {
    private(set) var results = ElementResults()
    /// How many requests of the step itself were sent for all elements.
    private(set) var attempts = 0
    /// Whether a request of an element may have reached the server without a recorded response.
    private(set) var isPartlyUnsure = false
    /// A failure that does not belong to an element.
    private var ownFailure: Failure?

    private let mode: FailureMode
    /// Whether a failure is tolerated, by the step or by one around it.
    private let isTolerated: Bool
    /// Whether a step around it tolerates failures.
    private let isToleratedOutside: Bool
    private var items: [Int: ElementRecord]?
    /// Whether an interruption has left something to do.
    private var wasCancelled = false
    private var hasFailed = false
    /// Whether the step has a failure that does not belong to an element, such as of its file. Its `onFailure` applies to
    /// elements only.
    private var hasOwnFailure: Bool { ownFailure != nil }
    /// Whether the run ends because of a failure.
    private var endsRun = false
    /// Whether a resumed run found that an element has changed.
    private var wasRefused = false

    /// A summary without elements.
    init(mode: FailureMode, isTolerated: Bool, isToleratedOutside: Bool, keepsItems: Bool) {
        self.mode = mode
        self.isTolerated = isTolerated
        self.isToleratedOutside = isToleratedOutside
        items = keepsItems ? [:] : nil
    }

    /// Adds the result of an element. Elements may be added in any order.
    mutating func add(_ element: ElementOutcome, _ outcome: StepOutcome) {
        if let record = element.record { items?[element.index] = record }
        attempts += element.attempts
        if element.use != .taken { isPartlyUnsure = true }
        var failure: Failure?
        switch element.end {
        case .failed:
            (hasFailed, failure) = (true, element.failure)
            if failure?.endsRun == true { endsRun = true }
        case .refused: (wasRefused, failure) = (true, element.failure)
        case .cancelled, .skipped(.interrupted): noteMissing()
        case .passed, .ended, .withdrawn, .skipped: break
        }
        results.add(element: element.index, outcome, failure, element.subject)
    }

    /// Adds a failure that does not belong to an element.
    mutating func fail(_ failure: Failure) {
        hasFailed = true
        if failure.endsRun { endsRun = true }
        ownFailure = ownFailure ?? failure
    }

    /// The failure of the step: its own, otherwise that of the first element that failed.
    var failure: Failure? { ownFailure ?? results.failures.first?.failure }

    /// Adds elements that were not run, because of an interruption, or of a file that cannot be written.
    mutating func skip(_ count: Int, isFileBroken: Bool) {
        results.skip(count)
        if count > 0, !(hasFailed && isFileBroken) { noteMissing() }
    }

    /// Notes that an interruption has left something to do.
    mutating func interrupt() { wasCancelled = true }

    /// Notes that an element has not finished: because of an interruption, unless a failure has stopped the others.
    private mutating func noteMissing() {
        if !hasFailed || mode != .stop { interrupt() }
    }

    /// Whether the step has not finished: a resumed run continues with what is missing. A failure that is not tolerated
    /// is repeated, too.
    private var isUnfinished: Bool { wasCancelled && !endsRun && (isTolerated || !hasFailed) }

    /// How the step ended, for the group that contains it.
    var end: NodeOutcome.End {
        if wasRefused { return .refused }
        if isUnfinished { return .cancelled }
        return endsRun || hasOwnFailure || hasFailed && mode != .continue ? .failed : .passed
    }

    /// The outcome of the step for reports.
    var outcome: StepOutcome {
        if wasRefused { return .failed }
        if isUnfinished { return .cancelled }
        guard hasFailed else { return .passed }
        return !endsRun && (hasOwnFailure ? isToleratedOutside : isTolerated) ? .tolerated : .failed
    }

    /// The record for the expressions of later steps.
    var record: StepRecord {
        var record = StepRecord(isPassed: outcome == .passed, error: failure.inExpressions)
        if let items {
            let values = items.sorted { $0.key < $1.key }.map { $0.value.value }
            record.items = ScopeValue(.array(values.map(\.json)), isSecret: values.contains(where: \.isSecret))
            for share in items.values.compactMap(\.record?.memory) {
                if let memory = record.memory { memory.absorb(share) } else { record.memory = share }
            }
        }
        return record
    }
}

extension ElementRecord {
    /// `{item, ok, status, data, outputs, error}`, without the values that are not kept.
    fileprivate var value: ScopeValue {
        var object = JSONObject()
        var isSecret = item.isSecret
        object["item"] = item.json
        object["ok"] = .bool(record?.isPassed ?? false)
        object["error"] = record?.error ?? .null
        if let record {
            if let response = record.response { object["status"] = .number(JSONNumber(response.status)) }
            if let data = record.data {
                object["data"] = data.json
                isSecret = isSecret || data.isSecret
            }
            var outputs = JSONObject()
            for (name, value) in record.outputs.sorted(by: { $0.key < $1.key }) {
                outputs[name] = value.json
                isSecret = isSecret || value.isSecret
            }
            object["outputs"] = .object(outputs)
        }
        return ScopeValue(.object(object), isSecret: isSecret)
    }
}
