package import WaybillFormats
package import WaybillJSON

/// One of several files and tables that receive the records of a step together.
package struct RecordTarget: Sendable {
    /// The path of the file.
    package var path: String
    /// Where its records go.
    package let container: RecordContainer
    /// The writer of its format.
    package let writer: any RecordWriter
    /// The number of values that are computed over its records.
    package let aggregates: Int
    /// The run that writes the file, if other runs may write to the same path.
    var owner: RunID?

    /// Creates a target; see the properties.
    package init(path: String, container: RecordContainer, writer: any RecordWriter, aggregates: Int) {
        (self.path, self.container, self.writer, self.aggregates) = (path, container, writer, aggregates)
    }
}

/// Writes the records of several targets to one file, from which `split` takes them when they are complete.
///
/// A record is `[INDEX, VALUE]`, with the index of its target. It is written as a line `INDEX LENGTH` and the bytes that
/// the writer of the target holds. The aggregates of a file are those of its targets, in order, each after the number of
/// its records.
package struct JoinedRecords: RecordWriter {
    private let writers: [any RecordWriter]
    /// The maximum length of a line before a record.
    private static let longestLine = 40

    /// Creates a writer of records for some targets.
    package init(_ targets: [RecordTarget]) { writers = targets.map(\.writer) }

    package mutating func append(_ record: JSON, isFirst: Bool, to file: inout [UInt8]) throws(UnwritableRecord) {
        guard let pair = record.array, let index = pair.first?.count, let value = pair.last else { return }
        var held: [UInt8] = []
        try writers[index].hold(value, in: &held)
        file += "\(index) \(held.count)\n".utf8
        file += held
    }

    /// Returns a record of the target with an index.
    package static func record(_ record: RedactedJSON, of index: Int) -> RedactedJSON {
        RedactedJSON(redacted: [.number(JSONNumber(index)), record.value])
    }

    /// Returns the aggregates of a target for some of its records.
    package static func aggregates(_ own: [RecordAggregate], of records: Int) -> [RecordAggregate] {
        var count = RecordAggregate(.sum)
        // An integer can be added.
        try? count.add(.number(JSONNumber(records)))
        return [count] + own
    }

    /// Returns the records of each target in the records and aggregates of a file.
    static func tallies(of records: RecordTally, _ targets: [RecordTarget]) -> [RecordTally] {
        var rest = records.aggregates[...]
        return targets.map { target in
            let own = rest.prefix(1 + target.aggregates)
            rest = rest.dropFirst(own.count)
            return RecordTally(own.first?.result.count ?? 0, Array(own.dropFirst()))
        }
    }

    /// Adds the records in a file to the unfinished files of their targets. May take long.
    static func split(
        _ path: String,
        into writers: [RecordFileWriter],
        until isStopped: () -> Bool
    ) throws(ResultsError) {
        let file = try InputFile(path)
        var held = writers.map { _ in [UInt8]() }
        var rest: [UInt8] = []
        while case let piece = try file.next(1 << 20), !piece.isEmpty {
            if isStopped() { throw .stopped(path) }
            rest += piece
            var start = 0
            while let (index, record) = try next(in: rest[start...], of: path) {
                guard held.indices.contains(index) else { throw changed(path) }
                held[index] += record
                start = record.endIndex
                guard held[index].count >= 1 << 18 else { continue }
                try writers[index].append(held: held[index])
                held[index].removeAll(keepingCapacity: true)
            }
            rest.removeFirst(start)
        }
        guard rest.isEmpty else { throw changed(path) }
        for (writer, held) in zip(writers, held) where !held.isEmpty { try writer.append(held: held) }
    }

    /// Returns the first record and the index of its target; `nil` if it is not complete.
    private static func next(
        in bytes: ArraySlice<UInt8>,
        of path: String
    ) throws(ResultsError) -> (Int, ArraySlice<UInt8>)? {
        guard let end = bytes.prefix(longestLine).firstIndex(of: UInt8(ascii: "\n")) else {
            if bytes.count < longestLine { return nil }
            throw changed(path)
        }
        let numbers = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 2, numbers.allSatisfy({ $0 >= 0 }) else { throw changed(path) }
        let record = bytes[(end + 1)...].prefix(numbers[1])
        return record.count == numbers[1] ? (numbers[0], record) : nil
    }

    private static func changed(_ path: String) -> ResultsError {
        ResultsError("'\(path)' was changed: a record in it is incomplete")
    }
}
