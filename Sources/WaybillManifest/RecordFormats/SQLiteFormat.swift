import WaybillFormats
package import WaybillJSON

/// A table of an SQLite database. This format cannot be read. Records are written as lines of JSON, which are loaded
/// into the table when they are complete.
///
/// Each column contains the members with its name; a record that is not an object is stored in the column `value`.
/// Columns have no types, and each value is stored as it is: 64-bit integers as INTEGER, other numbers as REAL if that
/// prints the same number and otherwise as TEXT with all digits, booleans as 1 and 0, bytes as BLOB, lists and objects
/// as JSON text.
package struct SQLiteFormat: WritableRecordFormat {
    package static let name = "sqlite"
    package static let extensions = ["sqlite", "sqlite3", "db"]
    package static let isDatabase = true
    package static let isCompressible = false

    package init(columns: [String]? = nil) {}

    package mutating func append(_ record: JSON, isFirst: Bool, to file: inout [UInt8]) {
        JSONWriter(stopsAtDeadline: true).write(Self.marked(record), to: &file)
        file.append(UInt8(ascii: "\n"))
    }

    /// Returns the record with its bytes marked, because JSON has no bytes.
    private static func marked(_ record: JSON) -> JSON {
        guard let object = record.object else { return .object(JSONObject([("value", record.markingBytes)])) }
        let isPlain = object.allSatisfy { member in
            switch member.value {
            case .null, .bool, .number, .string: true
            case .bytes, .array, .object: false
            }
        }
        return isPlain ? record : .object(object.mapValues(\.markingBytes))
    }
}
