package import WaybillJSON

/// Writes the records of one file.
///
/// Records whose position in the file is not yet known are held as bytes that do not depend on it, so that they can
/// also be written to the journal and read back.
package protocol RecordWriter: Sendable {
    /// Appends a record to the bytes of the file. The first record of a file may need a prefix.
    mutating func append(_ record: JSON, isFirst: Bool, to file: inout [UInt8]) throws(UnwritableRecord)
    /// Appends a record to the held records.
    func hold(_ record: JSON, in held: inout [UInt8]) throws(UnwritableRecord)
    /// Appends held records to the bytes of the file.
    mutating func release(_ held: [UInt8], isFirst: Bool, to file: inout [UInt8]) throws(UnwritableRecord)
    /// Returns the end of the file.
    func end(hasRecords: Bool) -> [UInt8]
    /// Restores the state of the writer from the start of a file that is continued.
    mutating func resume(after head: [UInt8])
}

/// The error of a record of which a part would be lost in the file.
package struct UnwritableRecord: Error {
    /// What would be lost, and what to do.
    package let reason: String

    /// Creates an error with a reason.
    package init(_ reason: String) { self.reason = reason }
}

extension RecordWriter {
    package func hold(_ record: JSON, in held: inout [UInt8]) throws(UnwritableRecord) {
        var writer = self
        try writer.append(record, isFirst: false, to: &held)
    }

    package mutating func release(_ held: [UInt8], isFirst: Bool, to file: inout [UInt8]) { file += held }

    package func end(hasRecords: Bool) -> [UInt8] { [] }

    package mutating func resume(after head: [UInt8]) {}
}
