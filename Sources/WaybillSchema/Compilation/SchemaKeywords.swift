import WaybillJSON

/// The keywords of draft 2020-12 that contain subschemas, by the form of their values.
package enum SchemaKeywords {
    /// Keywords whose value is a schema.
    package static let single = [
        "items", "contains", "additionalProperties", "propertyNames", "if", "then", "else", "not", "unevaluatedItems",
        "unevaluatedProperties", "contentSchema",
    ]
    /// Keywords whose value is a list of schemas.
    package static let lists = ["allOf", "anyOf", "oneOf", "prefixItems"]
    /// Keywords whose value maps names to schemas; the last two are from earlier drafts.
    package static let maps = [
        "properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "dependencies",
    ]

    /// Returns all direct subschemas of a schema, with their paths in it.
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

/// Groups of keywords by the values that they apply to, so that only the groups that a schema uses are read.
struct SchemaKeywordGroups: OptionSet {
    let rawValue: Int

    static let values = SchemaKeywordGroups(rawValue: 1)
    static let numbers = SchemaKeywordGroups(rawValue: 2)
    static let strings = SchemaKeywordGroups(rawValue: 4)
    static let arrays = SchemaKeywordGroups(rawValue: 8)
    static let objects = SchemaKeywordGroups(rawValue: 16)
    static let references = SchemaKeywordGroups(rawValue: 32)
    static let applicators = SchemaKeywordGroups(rawValue: 64)
    static let unevaluated = SchemaKeywordGroups(rawValue: 128)

    /// Creates the groups of a schema's keywords.
    init(in schema: JSONObject) {
        self = []
        for (name, _) in schema {
            if let group = Self.byKeyword[name] { insert(group) }
        }
    }

    init(rawValue: Int) {
        self.rawValue = rawValue
    }

    private static let table: [(group: SchemaKeywordGroups, keywords: String)] = [
        (.values, "type const enum"),
        (.numbers, "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"),
        (.strings, "minLength maxLength pattern format"),
        (.arrays, "prefixItems items contains minContains maxContains minItems maxItems uniqueItems"),
        (.objects, "properties patternProperties additionalProperties propertyNames required minProperties"),
        (.objects, "maxProperties dependentRequired dependentSchemas dependencies"),
        (.references, "$ref $dynamicRef"),
        (.applicators, "allOf anyOf oneOf not if then else"),
        (.unevaluated, "unevaluatedItems unevaluatedProperties"),
    ]
    private static let byKeyword = Dictionary(
        uniqueKeysWithValues: table.flatMap { group, keywords in
            keywords.split(separator: " ").map { (String($0), group) }
        }
    )
}
