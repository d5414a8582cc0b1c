import WaybillJSON

/// The subschemas of a JSON Schema document, each with its location.
///
/// Only keywords that hold schemas are visited, so a property named `properties` or an example is not mistaken for one.
struct SchemaTree {
    /// One subschema.
    struct Subschema {
        /// Its location in the document, such as `/$defs/step`.
        let place: String
        /// Its keywords.
        let keywords: JSONObject
        /// The name of the property that it describes, if it is in `properties`.
        let property: String?
    }

    /// All subschemas that are mappings; the document itself is the first.
    private(set) var subschemas: [Subschema] = []

    init(_ document: JSON) {
        visit(document, at: "", property: nil)
    }

    private static let single: Set = [
        "items", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames",
        "not", "if", "then", "else",
    ]
    private static let lists: Set = ["allOf", "anyOf", "oneOf", "prefixItems"]
    private static let maps: Set = ["properties", "patternProperties", "$defs", "dependentSchemas"]

    private mutating func visit(_ schema: JSON, at place: String, property: String?) {
        guard case .object(let keywords) = schema else { return }
        subschemas.append(Subschema(place: place, keywords: keywords, property: property))
        for (keyword, value) in keywords {
            if Self.single.contains(keyword) { visit(value, at: "\(place)/\(keyword)", property: nil) }
            if Self.lists.contains(keyword) {
                for (index, schema) in (value.array ?? []).enumerated() {
                    visit(schema, at: "\(place)/\(keyword)/\(index)", property: nil)
                }
            }
            if Self.maps.contains(keyword) {
                for (name, schema) in value.object ?? JSONObject() {
                    visit(schema, at: "\(place)/\(keyword)/\(name)", property: keyword == "properties" ? name : nil)
                }
            }
        }
    }
}
