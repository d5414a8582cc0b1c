package import WaybillJSON

/// What the journal records about written records, so that a resumed run continues after them.
package enum RecordedOutput: Sendable, Equatable {
    /// The records are in the file, which has this many bytes and records up to and including them. The system has the
    /// bytes. The checksum is their CRC-32; journals of older versions have none.
    case written(upTo: Int, checksum: UInt32?, records: RecordTally)
    /// The records wait in memory, because those of earlier elements are still missing: their bytes and their count.
    case held([UInt8], records: RecordTally)
}

extension RecordedOutput: JSONStreamable {
    /// Writes `{offset, crc32, records, aggregates}`, or `{held, …}` with a string, or `{heldBytes, …}` with the Base64 of
    /// bytes that are not UTF-8.
    package func addMembers(to object: inout JSONStream) {
        switch self {
        case .written(let offset, let checksum, let records):
            object.add("offset", offset)
            object.add("crc32", checksum.map(Int.init))
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

    /// Reads an output from JSON; `nil` for anything else.
    package init?(_ json: JSON) {
        guard let records = RecordTally(json: json) else { return nil }
        if let offset = json["offset"]?.count {
            self = .written(upTo: offset, checksum: json.crc32, records: records)
        } else if let text = json["held"]?.string {
            self = .held(Array(text.utf8), records: records)
        } else if let bytes = json["heldBytes"]?.string.flatMap(Base64.decode) {
            self = .held(bytes, records: records)
        } else {
            return nil
        }
    }
}

extension JSON {
    /// The member `crc32` of an object in a journal; `nil` if there is none.
    var crc32: UInt32? { self["crc32"]?.count.flatMap(UInt32.init(exactly:)) }
}
