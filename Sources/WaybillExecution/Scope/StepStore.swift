import Synchronization
import WaybillData
import WaybillPlan
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
}

/// The records of one graph's steps, by id.
final class StepStore: Sendable {
    private let records = Mutex<[String: StepRecord]>([:])

    /// Keeps a record.
    func keep(_ record: StepRecord, of id: String) {
        records.withLock { $0[id] = record }
    }

    /// `steps` as expressions see it.
    var namespace: Namespace {
        Namespace(self.ids) { id in
            self.records.withLock { $0[id] }.map { .namespace($0.namespace(of: id)) }
        }
    }

    private var ids: [String] { records.withLock { $0.keys.sorted() } }
}

extension StepRecord {
    fileprivate func namespace(of id: String) -> Namespace {
        let noAnswer = ScopeNode.unavailable(reason: "step '\(id)' has no answer")
        return Namespace(["ok", "error"] + StepFields.names.keys.sorted().filter { $0 != "ok" && $0 != "error" }) {
            field in
            switch field {
            case "ok": .value(ScopeValue(.bool(isPassed)))
            case "error": .value(ScopeValue(error))
            case "outputs": .namespace(Namespace(outputs.keys.sorted()) { name in outputs[name].map { .value($0) } })
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
