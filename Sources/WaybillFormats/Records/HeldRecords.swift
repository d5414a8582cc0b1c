package import WaybillJSON

/// Writes the records of a shard as another writer holds them: independent of their position in the complete file, for
/// which that writer releases them when the shards are merged.
package struct HeldRecords: RecordWriter {
    private let writer: any RecordWriter

    /// - Parameter writer: The writer of the complete file.
    package init(_ writer: any RecordWriter) {
        self.writer = writer
    }

    package mutating func append(_ record: JSON, isFirst: Bool, to file: inout [UInt8]) throws(UnwritableRecord) {
        try writer.hold(record, in: &file)
    }
}
