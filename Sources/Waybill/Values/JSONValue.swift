import WaybillJSON

/// A JSON value, such as that of an input or of an output of a run.
///
/// Numbers keep all their digits, and objects keep the order of their members. Equality is that of JSON Schema: `1`
/// equals `1.0`, and the order of members does not matter. Bytes, such as the data of a response with `decoding:
/// bytes`, are a Base64 string.
///
/// ```swift
/// let id = report.outputs["main"]?["account"]?.int
/// ```
public struct JSONValue: Sendable, Hashable {
    let json: JSON

    init(_ json: JSON) {
        self.json = json.bytesAsBase64
    }

    /// A value that is made of others or a part of one, in which no bytes are left.
    init(part: JSON) {
        json = part
    }

    /// The kinds of values, with the names of types in JSON Schema.
    public enum Kind: String, Sendable, CaseIterable {
        /// `null`
        case null
        /// `true` or `false`
        case boolean
        /// A number of any size and precision.
        case number
        /// A string of Unicode code points.
        case string
        /// A list of values.
        case array
        /// Members by name, in order.
        case object
    }

    /// The kind of the value.
    public var kind: Kind {
        switch json.kind {
        case .null: .null
        case .boolean: .boolean
        case .number: .number
        // `init` leaves no bytes in a value.
        case .string, .bytes: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The string, if it is one.
    public var string: String? { json.string }

    /// The boolean, if it is one.
    public var bool: Bool? { json.bool }

    /// The number, if it is an integer (such as `1` or `1.0`) and in range.
    public var int: Int? { json.number?.int }

    /// The nearest double, if it is a number; infinite if the number is too large.
    public var double: Double? { json.number?.double }

    /// The digits of the number as written, if it is one: `12345678901234567890.10`.
    public var digits: String? { json.number?.text }

    /// The elements, if it is an array.
    public var array: [JSONValue]? { json.array?.map(JSONValue.init(part:)) }

    /// The members in order, if it is an object.
    public var members: [(name: String, value: JSONValue)]? {
        json.object?.map { ($0.name, JSONValue(part: $0.value)) }
    }

    /// The member with a name, if this is an object that has one.
    public subscript(name: String) -> JSONValue? { json[name].map(JSONValue.init(part:)) }

    /// The element at an index, if this is an array that has it.
    public subscript(index: Int) -> JSONValue? { json[index].map(JSONValue.init(part:)) }
}

extension JSONValue: CustomStringConvertible, CustomReflectable {
    /// The value as JSON, on one line.
    public var description: String { JSONWriter().string(json) }

    /// The value as JSON, on one line.
    public var customMirror: Mirror { Mirror(self, children: ["json": description]) }
}
