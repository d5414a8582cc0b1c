/// A JSON value (RFC 8259) that preserves the digits of its numbers and the order of its members.
///
/// Equality is by value, as JSON Schema and RFC 9535 define it: `1`, `1.0` and `1e0` are equal, the order of members
/// does not matter, and strings are equal if their code points are, unlike `String`, which uses canonical equivalence.
///
/// Expressions also use bytes, which no document contains. They are written as a string in Base64.
package enum JSON: Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number of any size and precision.
    case number(JSONNumber)
    /// A string of Unicode code points.
    case string(String)
    /// Bytes that are not text, such as an image. They equal only the same bytes.
    case bytes([UInt8])
    /// A list of values.
    case array([JSON])
    /// The members of an object, in the order of the document.
    case object(JSONObject)
}

extension JSON {
    /// The maximum nesting depth of arrays and objects in any value. Code that builds values must respect it.
    ///
    /// Comparing, hashing and releasing a value are recursive. A stack of 8 MiB supports more than twice this depth.
    package static let greatestDepth = 2_000

    /// Whether arrays and objects are nested deeper than `greatestDepth`. Recurses to that depth only.
    package var isNestedTooDeep: Bool { isNested(deeperThan: Self.greatestDepth) }

    private func isNested(deeperThan depth: Int) -> Bool {
        switch self {
        case .array(let elements): depth == 0 || elements.contains { $0.isNested(deeperThan: depth - 1) }
        case .object(let members): depth == 0 || members.contains { $0.value.isNested(deeperThan: depth - 1) }
        case .null, .bool, .number, .string, .bytes: false
        }
    }

    /// The kinds of value, named like the types of JSON Schema, and bytes.
    package enum Kind: String, Sendable, CaseIterable {
        case null, boolean, number, string, bytes, array, object

        /// The name of the kind in messages, with its article.
        package var phrase: String {
            switch self {
            case .null: "null"
            case .boolean: "a boolean"
            case .number: "a number"
            case .string: "a string"
            case .bytes: "bytes"
            case .array: "a list"
            case .object: "an object"
            }
        }
    }

    /// The kind of the value.
    package var kind: Kind {
        switch self {
        case .null: .null
        case .bool: .boolean
        case .number: .number
        case .string: .string
        case .bytes: .bytes
        case .array: .array
        case .object: .object
        }
    }

    /// The string, if it is a string.
    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The bytes, if the value is bytes.
    package var bytes: [UInt8]? {
        if case .bytes(let value) = self { value } else { nil }
    }

    /// The boolean, if it is a boolean.
    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, if it is a number.
    package var number: JSONNumber? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The elements, if it is an array.
    package var array: [JSON]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, if it is an object.
    package var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member with a name, if this is an object that has it.
    package subscript(name: String) -> JSON? { object?[name] }

    /// The element at an index, if this is an array that has it.
    package subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}

extension JSON: Hashable {
    /// Compares values of the same kind: numbers by value, strings by code points, objects regardless of the order of
    /// their members.
    package static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameCodePoints(as: right)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): value.hashCodePoints(into: &hasher)
        case .bytes(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension JSON: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    package init(floatLiteral value: Double) { self = .number(JSONNumber(value) ?? JSONNumber(0)) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral members: (String, JSON)...) {
        var object = JSONObject()
        for (name, value) in members { object[name] = value }
        self = .object(object)
    }
}
