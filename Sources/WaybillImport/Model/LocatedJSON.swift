import WaybillJSON

/// A value of a JSON document, and where it is. What is missing is null.
struct LocatedJSON {
    let json: JSON
    var pointer = JSONPointer()

    /// The member with a name.
    subscript(name: String) -> LocatedJSON {
        LocatedJSON(json: json[name] ?? .null, pointer: pointer.appending(.name(name)))
    }

    /// The elements of a list; none of another value.
    var elements: [LocatedJSON] {
        (json.array ?? []).enumerated().map { LocatedJSON(json: $1, pointer: pointer.appending(.index($0))) }
    }

    /// The members of an object; none of another value.
    var members: [(name: String, value: LocatedJSON)] { (json.object ?? JSONObject()).map { ($0.name, self[$0.name]) } }

    var isTrue: Bool { json.bool == true }
    var isObject: Bool { json.object != nil }
    var isList: Bool { json.array != nil }

    /// The string, if the value is one.
    var string: String? { json.string }

    /// The value as a string: numbers and booleans as they are written; empty for null.
    var text: String { Optional(json).text }

    /// The value as JSON.
    var written: String { JSONWriter().string(json) }
}

extension JSON? {
    /// The value as a string: numbers and booleans as they are written; empty for null.
    var text: String {
        switch self {
        case .string(let text)?: text
        case .null?, nil: ""
        case let value?: JSONWriter().string(value)
        }
    }
}
