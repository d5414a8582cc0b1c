/// A JSON number with the digits it was written with: `12345678901234567890`, `1.10` and `1e400` stay what they are.
///
/// Two numbers are equal when their mathematical values are.
package struct JSONNumber: Sendable {
    /// The number as written, by the grammar of RFC 8259, section 6.
    package let text: String

    /// A number from text that a parser has already found to follow the grammar of RFC 8259, section 6.
    init(validated text: String) {
        self.text = text
    }

    /// A whole number.
    package init(_ value: Int) {
        text = String(value)
    }

    /// A double, written in the fewest digits that read back the same; `nil` for infinities and NaN, which JSON lacks.
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : "\(value)"
    }

    /// The nearest double; infinite where the number is too large for one.
    package var double: Double { Double(text) ?? .nan }

    /// The value as an `Int`, if it is whole (`1.0` is) and in range.
    package var int: Int? {
        if let value = Int(text) { return value }
        let value = double
        return value == value.rounded() && abs(value) < 9e15 ? Int(value) : nil
    }
}

extension JSONNumber: Hashable, Comparable {
    package static func == (left: JSONNumber, right: JSONNumber) -> Bool { left.double == right.double }
    package static func < (left: JSONNumber, right: JSONNumber) -> Bool { left.double < right.double }
    package func hash(into hasher: inout Hasher) { hasher.combine(double) }
}

extension JSONNumber: CustomStringConvertible {
    package var description: String { text }
}
