import WaybillData
import WaybillPlan
import WaybillResults
import WaybillTransport

extension StepRecord {
    /// What the journal keeps of a step: what later steps use. A record that a secret is part of cannot be kept, and the
    /// step runs again when the run is resumed.
    func kept(
        _ use: RunEvent.KeptRecord.Use = .taken,
        redactor: Redactor,
        element: String? = nil
    ) -> RunEvent.KeptRecord {
        guard use == .taken else { return RunEvent.KeptRecord(use, element: element) }
        var object = JSONObject()
        var isSecret = items?.isSecret ?? false || data?.isSecret ?? false
        object["ok"] = .bool(isPassed)
        if error != .null { object["error"] = error }
        if !outputs.isEmpty {
            var values = JSONObject()
            for (name, value) in outputs.sorted(by: { $0.key < $1.key }) {
                values[name] = value.json
                isSecret = isSecret || value.isSecret
            }
            object["outputs"] = .object(values)
        }
        if let data { object["data"] = data.json }
        if let items { object["items"] = items.json }
        if let response {
            object["status"] = .number(JSONNumber(response.status))
            object["time"] = .number(response.timings.total.seconds)
            object["headers"] = .array(response.headers.list.map { [.string($0.name), .string($0.value)] })
        }
        if object.count == 1, isPassed { return RunEvent.KeptRecord(.taken, element: element) }
        guard !isSecret, let record = redactor.unchanged(.object(object)) else {
            return RunEvent.KeptRecord(.again, element: element)
        }
        return RunEvent.KeptRecord(.taken, record: record, element: element)
    }

    /// A record as it was kept.
    init(kept record: JSON) {
        self.init(isPassed: record["ok"] != false, error: record["error"] ?? .null)
        for (name, value) in record["outputs"]?.object ?? JSONObject() { outputs[name] = ScopeValue(value) }
        data = record["data"].map { ScopeValue($0) }
        items = record["items"].map { ScopeValue($0) }
        if let status = record["status"]?.number?.int {
            response = HTTPResponse(kept: status, record["time"], record["headers"]?.array ?? [])
        }
    }
}

extension HTTPResponse {
    /// An answer of which only the head was kept.
    fileprivate init(kept status: Int, _ time: JSON?, _ headers: [JSON]) {
        var timings = TransferTimings.zero
        if let seconds = time?.number?.double { timings.total = .microseconds(Int64((seconds * 1e6).rounded())) }
        let fields = headers.compactMap { field -> HTTPField? in
            guard let name = field[0]?.string, let value = field[1]?.string else { return nil }
            return HTTPField(name: name, value: value)
        }
        self.init(
            status: status,
            reason: "",
            httpVersion: "",
            headers: HTTPFields(fields),
            body: [],
            url: "",
            timings: timings,
            bytesSent: 0,
            bytesReceived: 0,
            remoteAddress: nil,
            reusedConnection: false
        )
    }
}
