package import WaybillFormats
import WaybillJSON

/// The number of records, and the result of `aggregate` over them.
package struct RecordTally: Sendable, Equatable {
    /// The number of records.
    package var count: Int
    /// The aggregates, in the order of the manifest; empty if there are none or no record was added.
    package private(set) var aggregates: [RecordAggregate]

    /// Creates a tally; see the properties.
    package init(_ count: Int, _ aggregates: [RecordAggregate] = []) {
        self.count = count
        self.aggregates = aggregates
    }

    /// Adds the records that follow.
    static func += (left: inout RecordTally, right: RecordTally) {
        left.count += right.count
        guard !left.aggregates.isEmpty else {
            left.aggregates = right.aggregates
            return
        }
        for index in left.aggregates.indices where right.aggregates.indices.contains(index) {
            left.aggregates[index].add(right.aggregates[index])
        }
    }
}

extension RecordTally: ExpressibleByIntegerLiteral {
    /// Creates a tally of this many records, without aggregates.
    package init(integerLiteral count: Int) {
        self.init(count)
    }
}

extension RecordTally: JSONStreamable {
    /// Writes `{records, aggregates}`, without `aggregates` if there are none.
    package func addMembers(to object: inout JSONStream) {
        object.add("records", count)
        guard !aggregates.isEmpty else { return }
        // The values were computed from redacted data.
        object.add("aggregates", RedactedJSON(redacted: .array(aggregates.map(\.json))))
    }

    /// Reads a tally from JSON; `nil` for anything else.
    init?(json: JSON) {
        guard let count = json["records"]?.count else { return nil }
        self.init(count, json["aggregates"]?.array?.compactMap(RecordAggregate.init(json:)) ?? [])
    }
}
