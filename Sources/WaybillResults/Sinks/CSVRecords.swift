import WaybillFormats
import WaybillJSON

/// Rows behind a header (RFC 4180).
///
/// Without given columns those are the members of the first record. Members of later records that are no columns are left
/// out with a warning; what is no object is in the column `value`.
struct CSVRecords: RecordFormat {
    private let given: [String]?
    private var columns: [String]
    private var warning: String?
    private var hasWarned = false
    private let writer = CSVWriter(lineBreak: .carriageReturnLineFeed)

    init(columns: [String]?) {
        given = columns
        self.columns = columns ?? []
    }

    mutating func append(_ record: Record, isFirst: Bool, to file: inout [UInt8]) {
        append(record.members, isFirst: isFirst, to: &file)
    }

    /// Without given columns the first record is not known yet, and what waits is JSON.
    func hold(_ record: Record, in held: inout [UInt8]) {
        if given == nil {
            record.writeJSON(to: &held)
            held.append(UInt8(ascii: "\n"))
        } else {
            writer.write(row(of: record.members), to: &held)
        }
    }

    mutating func release(_ held: [UInt8], isFirst: Bool, to file: inout [UInt8]) {
        guard given == nil else {
            if isFirst { writer.write(header: columns, to: &file) }
            file += held
            return
        }
        var isFirst = isFirst
        for line in held.split(separator: UInt8(ascii: "\n")) {
            // Nobody but `hold` has written it, unless a journal was changed by hand.
            guard let value = try? JSONParser().parse(line) else { continue }
            append(value.members, isFirst: isFirst, to: &file)
            isFirst = false
        }
    }

    func end(hasRecords: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        if !hasRecords, given != nil { writer.write(header: columns, to: &bytes) }
        return bytes
    }

    mutating func resume(behind head: [UInt8]) {
        guard given == nil else { return }
        var reader = CSVReader()
        var rest = head[...]
        _ = try? reader.nextRow(in: &rest)
        columns = reader.names ?? []
    }

    mutating func takeWarning() -> String? {
        defer { warning = nil }
        return warning
    }

    private mutating func append(_ members: JSONObject, isFirst: Bool, to file: inout [UInt8]) {
        if isFirst {
            columns = given ?? members.names
            writer.write(header: columns, to: &file)
        } else if given == nil, !hasWarned, let name = members.names.first(where: { !columns.hasName($0) }) {
            hasWarned = true
            warning = "'\(name)' is no column, since the first record has none of that name; it is left out"
        }
        writer.write(row(of: members), to: &file)
    }

    private func row(of members: JSONObject) -> [JSON] {
        columns.map { members[$0] ?? .null }
    }
}

extension [String] {
    fileprivate func hasName(_ name: String) -> Bool {
        contains { $0.hasSameCodePoints(as: name) }
    }
}

extension Record {
    fileprivate var members: JSONObject {
        switch self {
        case .value(let value): value.value.members
        case .bytes(let bytes): JSONObject([("value", .string(Base64.encode(bytes.bytes)))])
        }
    }
}

extension JSON {
    /// The members of an object, or the value as one of the name `value`.
    fileprivate var members: JSONObject {
        object ?? JSONObject([("value", self)])
    }
}
