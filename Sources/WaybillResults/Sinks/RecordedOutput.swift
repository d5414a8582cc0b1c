package import WaybillJSON

/// What the journal notes of records, so that a run that is picked up again goes on behind them.
package enum RecordedOutput: Sendable, Equatable {
    /// They are in the file, which has this many bytes and records up to and with them. The system has these bytes.
    case written(upTo: Int, records: RecordTally)
    /// Records of elements before them are still missing, and they wait in memory: their bytes and their count.
    case held([UInt8], records: RecordTally)
}

extension RecordedOutput: JSONStreamable {
    /// `{offset, records, aggregates}`, or `{held, …}` with a string, or `{heldBytes, …}` with Base64 of what is not UTF-8.
    package func addMembers(to object: inout JSONStream) {
        switch self {
        case .written(let offset, let records):
            object.add("offset", offset)
            records.addMembers(to: &object)
        case .held(let bytes, let records):
            if let text = String(validating: bytes, as: UTF8.self) {
                object.add("held", text)
            } else {
                object.add("heldBytes", Base64.encode(bytes))
            }
            records.addMembers(to: &object)
        }
    }

    /// Reads what is written of it; `nil` for anything else.
    package init?(_ json: JSON) {
        guard let records = RecordTally(json: json) else { return nil }
        if let offset = json["offset"]?.count {
            self = .written(upTo: offset, records: records)
        } else if let text = json["held"]?.string {
            self = .held(Array(text.utf8), records: records)
        } else if let bytes = json["heldBytes"]?.string.flatMap(Base64.decode) {
            self = .held(bytes, records: records)
        } else {
            return nil
        }
    }
}
