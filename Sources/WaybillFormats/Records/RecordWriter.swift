package import WaybillJSON

/// Writes the records of one file.
///
/// Records whose position in the file is not yet known are held as bytes that do not depend on it, so that they can
/// also be written to the journal and read back.
package protocol RecordWriter: Sendable {
    /// Appends a record to the bytes of the file. The first record of a file may need a prefix.
    mutating func append(_ record: JSON, isFirst: Bool, to file: inout [UInt8])
    /// Appends a record to the held records.
    func hold(_ record: JSON, in held: inout [UInt8])
    /// Appends held records to the bytes of the file.
    mutating func release(_ held: [UInt8], isFirst: Bool, to file: inout [UInt8])
    /// Returns the end of the file.
    func end(hasRecords: Bool) -> [UInt8]
    /// Restores the state of the writer from the start of a file that is continued.
    mutating func resume(after head: [UInt8])
    /// Returns a warning about records that could not be written unchanged, only once.
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
