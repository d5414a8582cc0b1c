/// Where subschemas stand in a schema: the keywords of draft 2020-12 that hold some, and in which form.
enum SchemaKeywords {
    /// Keywords whose value is a schema.
    static let single = [
        "items", "contains", "additionalProperties", "propertyNames", "if", "then", "else", "not", "unevaluatedItems",
        "unevaluatedProperties", "contentSchema",
    ]
    /// Keywords whose value is a list of schemas.
    static let lists = ["allOf", "anyOf", "oneOf", "prefixItems"]
    /// Keywords whose value has a schema for each name; the last two are kept from earlier drafts.
    static let maps = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "dependencies"]

    /// All subschemas directly inside a schema, with the way there.
    static func subschemas(of schema: JSONObject) -> [(path: [JSONPointer.Token], schema: JSON)] {
        var found: [(path: [JSONPointer.Token], schema: JSON)] = []
        for (keyword, value) in schema {
            switch value {
            case .object(let members) where maps.contains(keyword):
                for (name, schema) in members { found.append(([.name(keyword), .name(name)], schema)) }
            case .array(let elements) where lists.contains(keyword):
                for (index, schema) in elements.enumerated() {
                    found.append(([.name(keyword), .index(index)], schema))
                }
            case .object where single.contains(keyword):
                found.append(([.name(keyword)], value))
            default:
                break
            }
        }
        return found
    }
}
