import WaybillJSON

extension ValueShape {
    /// The shape of the values that a JSON Schema accepts, as far as its plain keywords define it; otherwise
    /// `anything`.
    ///
    /// The recursion is as deep as the document, whose depth is limited when it is read.
    init(schema: JSON) {
        guard case .object(let keywords) = schema else {
            self = .anything
            return
        }
        let types = keywords["type"].map { $0.array ?? [$0] }?.compactMap(\.string) ?? []
        let words = Self.scalars.filter { types.contains($0.type) }.map(\.words)
        if !types.isEmpty, words.count == types.count {
            self = .scalar(words.joined(separator: " or "))
        } else if types == ["array"] {
            self = keywords["prefixItems"] == nil ? .list(ValueShape(schema: keywords["items"] ?? true)) : .anything
        } else if types == ["object"], let fields = Self.closedFields(keywords) {
            self = .object(fields)
        } else {
            self = .anything
        }
    }

    private static let scalars: [(type: String, words: String)] = [
        ("string", "a string"), ("number", "a number"), ("integer", "an integer"),
        ("boolean", "a boolean"), ("null", "null"),
    ]

    /// Returns the fields of an object that can have no others.
    private static func closedFields(_ keywords: JSONObject) -> [(name: String, shape: ValueShape)]? {
        guard keywords["additionalProperties"]?.bool == false, keywords["patternProperties"] == nil else { return nil }
        let properties = keywords["properties"]?.object ?? JSONObject()
        return properties.map { ($0.name, ValueShape(schema: $0.value)) }
    }
}
