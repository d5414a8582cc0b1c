import Synchronization
import WaybillExpressions
import WaybillJSON
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// The record of a finished step, for the expressions of later steps.
struct StepRecord: Sendable {
    /// Whether the step passed.
    var isPassed: Bool
    /// The failure, as `{kind, code, message}`.
    var error: JSON = .null
    var outputs: [String: ScopeValue] = [:]
    /// The data, if an expression uses it.
    var data: ScopeValue?
    /// Status, header fields and time, if an expression uses them.
    var response: HTTPResponse?
    /// The records of the elements of a `forEach`, if an expression uses them.
    var items: ScopeValue?
    /// The file that was written, as `{file, records, bytes}`, if an expression uses it.
    var written: JSON?
    /// The file that was downloaded, as `{file, bytes, sha256, resumed}`, if an expression uses it.
    var downloaded: JSON?
    /// The memory of the outputs, the data and the items, unless they take none.
    var memory: RunMemory.Share?
    /// Why nothing else is available, for a step that was not run.
    var absence: String?
}

extension StepRecord {
    /// The outputs, the data and the items.
    var values: [JSON] { outputs.values.map(\.json) + [data, items].compactMap { $0?.json } }

    /// The record of a step that was not run.
    init(skipped reason: SkipReason) {
        isPassed = false
        absence = "was not run"
    }
}

/// The records of finished steps, by id: those of a graph, or of one element, which also sees those outside it.
final class StepStore: Sendable {
    private let records = Mutex<[String: CopyOnWrite<StepRecord>]>([:])
    private let outer: StepStore?

    /// An empty store inside another one.
    init(inside outer: StepStore? = nil) {
        self.outer = outer
    }

    func keep(_ record: StepRecord, of id: String) {
        let record = CopyOnWrite(record)
        records.withLock { $0[id] = record }
    }

    /// The record of a step.
    func record(of id: String) -> StepRecord? { sharedRecord(of: id)?.value }

    fileprivate func sharedRecord(of id: String) -> CopyOnWrite<StepRecord>? {
        records.withLock { $0[id] } ?? outer?.sharedRecord(of: id)
    }

    fileprivate var ids: [String] { records.withLock { $0.keys.sorted() } + (outer?.ids ?? []) }
}

/// `steps` as expressions see it.
struct StepNamespace: ScopeNamespace {
    let store: StepStore

    var memberNames: [String] { store.ids }

    /// A step without a record has not run, such as one inside a group that was skipped: the plan has only ids that exist.
    func member(_ name: String) -> ScopeNode? {
        let record = store.sharedRecord(of: name) ?? Self.notRun
        return .namespace(RecordNamespace(record: record, id: name))
    }

    private static let notRun = CopyOnWrite(StepRecord(skipped: .failure))
}

/// `steps.ID` as expressions see it.
private struct RecordNamespace: ScopeNamespace {
    let record: CopyOnWrite<StepRecord>
    let id: String

    var memberNames: [String] {
        ["ok", "error"] + StepFields.names.keys.sorted().filter { $0 != "ok" && $0 != "error" }
    }

    func member(_ name: String) -> ScopeNode? {
        let response = record.value.response
        let member: ScopeNode? =
            switch name {
            case "ok": .value(ScopeValue(.bool(record.value.isPassed)))
            case "error": .value(ScopeValue(record.value.error))
            case "outputs":
                record.value.absence == nil ? .namespace(ValueNamespace(values: record.value.outputs)) : nil
            case "items": record.value.items.map { .value($0) }
            case "written": record.value.written.map { .value(ScopeValue($0)) }
            case "downloaded": record.value.downloaded.map { .value(ScopeValue($0)) }
            case "data": record.value.data.map { .value($0) }
            case "status": response.map { .value(ScopeValue(.number(JSONNumber($0.status)))) }
            case "headers": response.map { .namespace(HeaderNamespace(fields: $0.headers)) }
            case "time": response.map { .value(ScopeValue(.number($0.timings.total.inMilliseconds))) }
            default: nil
            }
        if let member { return member }
        guard StepFields.names[name] != nil else { return nil }
        let absence =
            switch name {
            case "written": "did not write a file"
            case "downloaded": "did not download a file"
            case "data": "has no data"
            default: "has no response"
            }
        return .unavailable(reason: "step '\(id)' \(record.value.absence ?? absence)")
    }
}

extension Duration {
    /// The duration in milliseconds, rounded to a microsecond.
    var inMilliseconds: JSONNumber {
        let (seconds, attoseconds) = components
        let micro = (Double(seconds) * 1e6 + Double(attoseconds) / 1e12).rounded()
        return JSONNumber(micro / 1e3) ?? JSONNumber(0)
    }
}
