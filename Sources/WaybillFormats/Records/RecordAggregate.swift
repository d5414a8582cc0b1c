package import WaybillJSON

/// A function that `aggregate` of a file of records computes.
package enum AggregateFunction: String, Sendable, CaseIterable {
    case min, max, sum, count, first, last
}

/// The aggregate of some consecutive records.
///
/// Records without a value (`null`) are ignored. Numbers are compared and added exactly, strings are compared by code
/// points, and every string is greater than every number.
package struct RecordAggregate: Sendable, Equatable {
    /// The function to compute.
    package let function: AggregateFunction
    /// The value so far; `nil` if no record had a value.
    private var value: JSON?

    /// Creates an aggregate of no records.
    package init(_ function: AggregateFunction) {
        self.function = function
    }

    /// The error for a value that cannot be aggregated, in words without a full stop.
    package struct ValueError: Error {
        package let message: String
    }

    /// The maximum distance of a digit from the decimal point. Numbers that exceed it are not added.
    private static let greatestSpan = 5000

    /// Adds the value of the next record.
    package mutating func add(_ next: JSON) throws(ValueError) {
        if next == .null || function == .count && next == .bool(false) { return }
        switch (function, next) {
        case (.count, _): merge(.number(JSONNumber(1)))
        case (.first, _), (.last, _), (.sum, .number), (.min, .number), (.max, .number), (.min, .string),
            (.max, .string):
            if function == .sum, let number = next.number, number.digitSpan > Self.greatestSpan {
                throw ValueError(message: "'sum' cannot add \(number.text.excerpt(20)): it has too many digits")
            }
            merge(next)
        case (.sum, _):
            throw ValueError(message: "'sum' adds numbers, but found \(next.kind.phrase)")
        case (.min, _), (.max, _):
            throw ValueError(
                message: "'\(function.rawValue)' compares numbers and strings, but found \(next.kind.phrase)"
            )
        }
    }

    /// Adds the aggregate of the records after these.
    package mutating func add(_ following: RecordAggregate) {
        if let next = following.value { merge(next) }
    }

    private mutating func merge(_ next: JSON) {
        guard let value else {
            self.value = next
            return
        }
        switch function {
        case .first: break
        case .last: self.value = next
        case .min: if Self.precedes(next, value) { self.value = next }
        case .max: if Self.precedes(value, next) { self.value = next }
        case .sum, .count:
            if let sum = value.number, let next = next.number { self.value = .number(sum.adding(next)) }
        }
    }

    /// The result. Without records, it is 0 for `sum` and `count`, and `null` for the others.
    package var result: JSON {
        switch function {
        case .sum, .count: value ?? .number(JSONNumber(0))
        case .min, .max, .first, .last: value ?? .null
        }
    }

    private static func precedes(_ left: JSON, _ right: JSON) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.number, .string): true
        default: false
        }
    }
}

extension RecordAggregate {
    /// `{FUNCTION: VALUE}`, with `null` before the first record with a value; bytes are marked.
    package var json: JSON { .object(JSONObject([(function.rawValue, value?.markingBytes ?? .null)])) }

    /// Restores an aggregate from `json`; `nil` for anything else.
    package init?(json: JSON) {
        guard let member = json.object?.first(where: { _ in true }),
            let function = AggregateFunction(rawValue: member.name)
        else { return nil }
        self.init(function)
        if member.value != .null { value = JSON(markingBytes: member.value) }
    }
}
