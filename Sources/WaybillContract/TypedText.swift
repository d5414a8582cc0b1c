import WaybillJSON

/// The values that texts of parameters and header fields stand for.
enum TypedText {
    /// Returns the type that a schema names, other than `null`; `nil` if it names none.
    static func type(of schema: JSON) -> String? {
        schema["type"]?.string ?? schema["type"]?.array?.compactMap(\.string).first { $0 != "null" }
    }

    /// Returns a text as a value of the type that its schema names; a string, if it names none.
    static func value(of text: String, _ schema: JSON) -> JSON {
        switch type(of: schema) {
        case "integer", "number": JSONNumber(parsing: text).map(JSON.number) ?? .string(text)
        case "boolean": text == "true" ? true : text == "false" ? false : .string(text)
        default: .string(text)
        }
    }

    /// The ways to read a text: as its schema says; and as a number or Boolean value, if the schema names no type.
    static let readings: [@Sendable (String, JSON) -> JSON] = [
        { value(of: $0, $1) },
        { text, schema in
            if type(of: schema) != nil { return value(of: text, schema) }
            if text == "true" || text == "false" { return .bool(text == "true") }
            return JSONNumber(parsing: text).map(JSON.number) ?? .string(text)
        },
    ]
}
