package import WaybillJSON

/// Writes the records of one file.
///
/// Records whose location in the file is not known yet are held as bytes that do not depend on it, so that they can also be
/// journaled and read back.
package protocol RecordWriter: Sendable {
    /// Appends a record to the bytes of the file; the first of the file may need something before it.
    mutating func append(_ record: JSON, isFirst: Bool, to file: inout [UInt8])
    /// Appends a record to those that wait for their turn.
    func hold(_ record: JSON, in held: inout [UInt8])
    /// Appends records that waited to the bytes of the file.
    mutating func release(_ held: [UInt8], isFirst: Bool, to file: inout [UInt8])
    /// Returns what the file ends with.
    func end(hasRecords: Bool) -> [UInt8]
    /// Reads what must be known from the start of a file that is continued.
    mutating func resume(after head: [UInt8])
    /// Returns a warning of what could not be written as it is, once.
    mutating func takeWarning() -> String?
}

extension RecordWriter {
    package func hold(_ record: JSON, in held: inout [UInt8]) {
        var writer = self
        writer.append(record, isFirst: false, to: &held)
    }

    package mutating func release(_ held: [UInt8], isFirst: Bool, to file: inout [UInt8]) { file += held }

    package func end(hasRecords: Bool) -> [UInt8] { [] }

    package mutating func resume(after head: [UInt8]) {}

    package mutating func takeWarning() -> String? { nil }
}
