/// How records stand in a file.
///
/// Records whose place in the file is not known yet are held as bytes that say nothing of that place, so that they can
/// also be noted and read back.
protocol RecordFormat: Sendable {
    /// Appends a record to what the file gets; the first of the file may have something before it.
    mutating func append(_ record: Record, isFirst: Bool, to file: inout [UInt8])
    /// Appends a record to those that wait for their place.
    func hold(_ record: Record, in held: inout [UInt8])
    /// Appends records that waited to what the file gets.
    mutating func release(_ held: [UInt8], isFirst: Bool, to file: inout [UInt8])
    /// What the file ends with.
    func end(hasRecords: Bool) -> [UInt8]
    /// Takes what has to be known from the beginning of a file that is gone on with.
    mutating func resume(behind head: [UInt8])
    /// What could not be written as it is; told once.
    mutating func takeWarning() -> String?
}

extension RecordFormat {
    func hold(_ record: Record, in held: inout [UInt8]) {
        var format = self
        format.append(record, isFirst: false, to: &held)
    }

    mutating func release(_ held: [UInt8], isFirst: Bool, to file: inout [UInt8]) { file += held }

    func end(hasRecords: Bool) -> [UInt8] { [] }

    mutating func resume(behind head: [UInt8]) {}

    mutating func takeWarning() -> String? { nil }
}

/// The formats of files of records.
package enum RecordFormatName: Sendable, Equatable {
    /// One JSON value a line.
    case ndjson
    /// One JSON array.
    case json
    /// RFC 4180, with a header; columns are the given ones, or the members of the first record.
    case csv(columns: [String]?)
    /// Texts and bytes as they are, anything else as JSON.
    case raw

    var format: any RecordFormat {
        switch self {
        case .ndjson: NDJSONRecords()
        case .json: JSONRecords()
        case .csv(let columns): CSVRecords(columns: columns)
        case .raw: RawRecords()
        }
    }
}
