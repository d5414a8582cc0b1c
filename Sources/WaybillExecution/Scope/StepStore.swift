import Synchronization
import WaybillData
import WaybillPlan
import WaybillResults
import WaybillTransport

/// What is kept of a step that has ended, for the expressions of later ones.
struct StepRecord: Sendable {
    /// Whether the step passed.
    var isPassed: Bool
    /// The failure, as `{kind, code, message}`.
    var error: JSON = .null
    /// The named values.
    var outputs: [String: ScopeValue] = [:]
    /// The data, where some expression uses it.
    var data: ScopeValue?
    /// Status, header fields and time, where some expression uses them.
    var response: HTTPResponse?
    /// What is kept of the elements of a `forEach`, where some expression uses it.
    var items: ScopeValue?
    /// Why there is nothing else, for a step that was not run.
    var absence: String?

    /// The record of a step that ran.
    init(isPassed: Bool, error: JSON = .null) {
        self.isPassed = isPassed
        self.error = error
    }

    /// The record of a step that was not run.
    init(skipped reason: RunEvent.SkipReason) {
        isPassed = false
        absence = "was not run"
    }
}

/// The records of steps that have ended, by id: those of a graph, or of one element, which also sees those around it.
final class StepStore: Sendable {
    private let records = Mutex<[String: StepRecord]>([:])
    private let outer: StepStore?

    /// No records yet, inside others.
    init(inside outer: StepStore? = nil) {
        self.outer = outer
    }

    /// Keeps a record.
    func keep(_ record: StepRecord, of id: String) {
        records.withLock { $0[id] = record }
    }

    /// The record of a step.
    func record(of id: String) -> StepRecord? {
        records.withLock { $0[id] } ?? outer?.record(of: id)
    }

    /// `steps` as expressions see it.
    var namespace: Namespace {
        Namespace(self.ids) { id in self.record(of: id).map { .namespace($0.namespace(of: id)) } }
    }

    private var ids: [String] { records.withLock { $0.keys.sorted() } + (outer?.ids ?? []) }
}

extension StepRecord {
    fileprivate func namespace(of id: String) -> Namespace {
        let noAnswer = ScopeNode.unavailable(reason: "step '\(id)' \(absence ?? "has no answer")")
        return Namespace(["ok", "error"] + StepFields.names.keys.sorted().filter { $0 != "ok" && $0 != "error" }) {
            field in
            switch field {
            case "ok": .value(ScopeValue(.bool(isPassed)))
            case "error": .value(ScopeValue(error))
            case "outputs": absence == nil ? .namespace(Namespace(values: outputs)) : noAnswer
            case "items": items.map { .value($0) } ?? noAnswer
            case "data": data.map { .value($0) } ?? noAnswer
            case "status": response.map { .value(ScopeValue(.number(JSONNumber($0.status)))) } ?? noAnswer
            case "headers": response.map { .namespace(HeaderNamespace(fields: $0.headers)) } ?? noAnswer
            case "time": response.map { .value(ScopeValue(.number($0.timings.total.seconds))) } ?? noAnswer
            default: nil
            }
        }
    }
}

extension Duration {
    /// The duration in seconds, as a JSON number with microseconds.
    var seconds: JSONNumber {
        let (seconds, attoseconds) = components
        let micro = (Double(seconds) * 1e6 + Double(attoseconds) / 1e12).rounded()
        return JSONNumber(micro / 1e6) ?? JSONNumber(0)
    }
}
