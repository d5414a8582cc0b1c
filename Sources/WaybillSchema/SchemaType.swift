import WaybillJSON

/// The types of the keyword `type`: the kinds of JSON value, and integers.
package enum SchemaType: String, Sendable, CaseIterable {
    case null, boolean, integer, number, string, array, object

    /// The type in words, as in “must be an integer”.
    package var words: String {
        switch self {
        case .null: "null"
        case .boolean: "true or false"
        case .integer: "an integer"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "a mapping"
        }
    }
}

/// A set of types; an integer is both `integer` and `number`.
struct SchemaTypeSet: OptionSet, Sendable {
    let rawValue: UInt8

    static let everything = SchemaTypeSet(SchemaType.allCases)

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ types: [SchemaType]) {
        rawValue = types.reduce(0) { $0 | Self.bit($1) }
    }

    init(_ kind: JSON.Kind) {
        rawValue =
            switch kind {
            case .null: Self.bit(.null)
            case .boolean: Self.bit(.boolean)
            case .number: Self.bit(.number) | Self.bit(.integer)
            case .string, .bytes: Self.bit(.string)
            case .array: Self.bit(.array)
            case .object: Self.bit(.object)
            }
    }

    /// The types in the order for messages; `integer` only if `number` does not cover it.
    var types: [SchemaType] {
        let order: [SchemaType] = [.string, .number, .integer, .boolean, .array, .object, .null]
        return order.filter { contains($0) && !($0 == .integer && contains(.number)) }
    }

    func contains(_ type: SchemaType) -> Bool {
        rawValue & Self.bit(type) != 0
    }

    /// Whether a value has one of the types. `1.0` is an integer.
    func accepts(_ instance: JSON) -> Bool {
        accepts(instance.kind) || contains(.integer) && instance.number?.isInteger == true
    }

    /// Whether every value of a kind has one of the types: `integer` alone does not cover numbers.
    func accepts(_ kind: JSON.Kind) -> Bool {
        switch kind {
        case .null: contains(.null)
        case .boolean: contains(.boolean)
        case .number: contains(.number)
        case .string, .bytes: contains(.string)
        case .array: contains(.array)
        case .object: contains(.object)
        }
    }

    private static func bit(_ type: SchemaType) -> UInt8 {
        switch type {
        case .null: 1
        case .boolean: 2
        case .integer: 4
        case .number: 8
        case .string: 16
        case .array: 32
        case .object: 64
        }
    }
}
