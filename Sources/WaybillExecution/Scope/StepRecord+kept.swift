import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillPlan
import WaybillResults
import WaybillTransport

extension StepRecord {
    /// Returns the part of the record that the journal keeps, because later steps use it. Values that contain a secret
    /// are left out, and their names are listed as lost; so are all outputs, data and items once the deadline of the step
    /// has passed.
    func kept(
        _ use: RunEvent.KeptRecord.Use = .taken,
        redactor: Redactor,
        element: String? = nil,
        cookies: [RedactedText] = []
    ) -> RunEvent.KeptRecord {
        var kept = RunEvent.KeptRecord(use, cookies: cookies, element: element)
        var object = JSONObject()
        func add(_ name: String, _ value: ScopeValue?) {
            guard let value else { return }
            guard !value.isSecret, let shown = redactor.unchanged(value.json) else { return kept.lost.append(name) }
            object[name] = shown.value
        }
        object["ok"] = .bool(isPassed)
        add("error", error == .null ? nil : ScopeValue(error))
        var values = JSONObject()
        for (name, value) in outputs.sorted(by: { $0.key < $1.key }) {
            guard !value.isSecret, let shown = redactor.unchanged(value.json) else {
                kept.lost.append("outputs.\(name)")
                continue
            }
            values[name] = shown.value
        }
        if !values.isEmpty { object["outputs"] = .object(values) }
        add("data", data)
        add("items", items)
        add("written", written.map { ScopeValue($0) })
        add("downloaded", downloaded.map { ScopeValue($0) })
        if let response {
            object["status"] = .number(JSONNumber(response.status))
            object["time"] = .number(response.timings.total.inMilliseconds)
            var fields: [JSON] = []
            for field in response.headers.list {
                let shown: JSON = [.string(field.name), .string(field.value)]
                if CredentialNames.contains(field.name) || redactor.unchanged(shown) == nil {
                    kept.lost.append("headers.\(field.name.lowercased())")
                } else {
                    fields.append(shown)
                }
            }
            object["headers"] = .array(fields)
        }
        guard object.count > 1 || !isPassed, let shown = redactor.unchanged(JSON.object(object).markingBytes) else {
            return kept
        }
        kept.record = values.isEmpty && data == nil && items == nil ? shown : shown.encoded
        if kept.record == nil {
            var rest = self
            (rest.outputs, rest.data, rest.items) = ([:], nil, nil)
            kept.record = rest.kept(redactor: redactor).record
            kept.lost += values.names.map { "outputs.\($0)" }
            kept.lost += ["data", "items"].filter { object[$0] != nil }
        }
        return kept
    }

    /// Restores a record from the journal.
    init(kept marked: JSON) {
        let record = JSON(markingBytes: marked)
        self.init(isPassed: record["ok"] != false, error: record["error"] ?? .null)
        for (name, value) in record["outputs"]?.object ?? JSONObject() { outputs[name] = ScopeValue(value) }
        data = record["data"].map { ScopeValue($0) }
        items = record["items"].map { ScopeValue($0) }
        written = record["written"]
        downloaded = record["downloaded"]
        if let status = record["status"]?.number?.int {
            response = HTTPResponse(kept: status, record["time"], record["headers"]?.array ?? [])
        }
    }
}

extension HTTPResponse {
    /// A response of which only the head was kept.
    fileprivate init(kept status: Int, _ time: JSON?, _ headers: [JSON]) {
        var timings = TransferTimings.zero
        if let milliseconds = time?.number?.double, (0..<1e15).contains(milliseconds) {
            timings.total = .microseconds(Int64((milliseconds * 1e3).rounded()))
        }
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
