import WaybillJSON

/// The types of the keyword `type`: the kinds of JSON value, and integers.
package enum SchemaType: String, Sendable, CaseIterable {
    case null, boolean, integer, number, string, array, object

    /// The type of the values of a kind, which may also be integers.
    init(_ kind: JSON.Kind) {
        self =
            switch kind {
            case .null: .null
            case .boolean: .boolean
            case .number: .number
            case .string, .bytes: .string
            case .array: .array
            case .object: .object
            }
    }

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
        self.init(kind == .number ? [.number, .integer] : [SchemaType(kind)])
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
    func accepts(_ kind: JSON.Kind) -> Bool { contains(SchemaType(kind)) }

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
