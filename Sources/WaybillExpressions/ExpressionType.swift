package import WaybillJSON

/// The kinds that a value may have, as far as they are known before it is computed.
package struct ExpressionType: OptionSet, Sendable, Hashable {
    /// One bit for each kind.
    package let rawValue: UInt8

    /// Creates a type from its bits.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// `null`
    package static let null = ExpressionType(rawValue: 1)
    /// `true` or `false`
    package static let boolean = ExpressionType(rawValue: 2)
    package static let number = ExpressionType(rawValue: 4)
    package static let string = ExpressionType(rawValue: 8)
    /// A list.
    package static let array = ExpressionType(rawValue: 16)
    package static let object = ExpressionType(rawValue: 32)
    package static let bytes = ExpressionType(rawValue: 64)
    /// Any value.
    package static let any: ExpressionType = [.null, .boolean, .number, .string, .bytes, .array, .object]
    /// The kinds that can be inserted into a string: strings, numbers and booleans.
    package static let text: ExpressionType = [.string, .number, .boolean]

    /// Creates the type of one kind of value.
    package init(_ kind: JSON.Kind) {
        self =
            switch kind {
            case .null: .null
            case .boolean: .boolean
            case .number: .number
            case .string: .string
            case .bytes: .bytes
            case .array: .array
            case .object: .object
            }
    }
}

extension ExpressionType: CustomStringConvertible {
    /// The kinds in words: `a string or a number`.
    package var description: String {
        if self == .any { return "any value" }
        let words = JSON.Kind.allCases.filter { contains(ExpressionType($0)) }.map(\.phrase)
        guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
