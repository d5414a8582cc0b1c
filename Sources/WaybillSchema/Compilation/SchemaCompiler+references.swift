import WaybillJSON

extension SchemaCompiler {
    /// Compiles `$ref` and `$dynamicRef`.
    mutating func references(_ source: SchemaSource) throws(JSONSchemaError) -> [Applicator] {
        var found: [Applicator] = []
        if let (target, _) = try reference(source, "$ref") {
            found.append(.reference(index(of: target)))
        }
        if let (target, anchor) = try reference(source, "$dynamicRef") {
            let resource = documents.resources[target.resource]
            if let anchor, resource.dynamicAnchors.contains(anchor) {
                let number = index(ofDynamicAnchor: anchor)
                found.append(.dynamicReference(anchor: number, initially: index(of: target)))
            } else {
                // If its initial target has no dynamic anchor, it acts as a `$ref` (JSON Schema Core, section 8.2.3.2).
                found.append(.reference(index(of: target)))
            }
        }
        return found
    }

    private mutating func reference(
        _ source: SchemaSource,
        _ keyword: String
    ) throws(JSONSchemaError) -> (location: SchemaLocation, anchor: String?)? {
        guard let text = try value(source, keyword, "a URI reference", \.string) else { return nil }
        return try documents.resolve(text, keyword, at: source.location)
    }

    /// Compiles `allOf`, `anyOf`, `oneOf`, `not`, and `if` with `then` and `else`.
    mutating func applicators(_ source: SchemaSource) throws(JSONSchemaError) -> [Applicator] {
        var found: [Applicator] = []
        if let schemas = try schemas(source, "allOf") { found.append(.allOf(schemas)) }
        if let schemas = try schemas(source, "anyOf") { found.append(.anyOf(schemas)) }
        if let schemas = try schemas(source, "oneOf") { found.append(.oneOf(schemas)) }
        if let schema = try schema(source, "not") { found.append(.not(schema)) }
        let then = try schema(source, "then")
        let otherwise = try schema(source, "else")
        if let condition = try schema(source, "if") {
            found.append(.conditional(condition: condition, then: then, otherwise: otherwise))
        }
        return found
    }

    /// Returns the node of a keyword whose value is a schema.
    mutating func schema(_ source: SchemaSource, _ keyword: String) throws(JSONSchemaError) -> Int? {
        guard let value = source.members[keyword] else { return nil }
        return try subschema(value, of: source, [.name(keyword)])
    }

    /// Returns the nodes of a keyword whose value is a nonempty list of schemas.
    mutating func schemas(_ source: SchemaSource, _ keyword: String) throws(JSONSchemaError) -> [Int]? {
        let list = try value(source, keyword, "a nonempty list of schemas") {
            $0.array?.isEmpty == false ? $0.array : nil
        }
        guard let elements = list else { return nil }
        var found: [Int] = []
        for (position, element) in elements.enumerated() {
            found.append(try subschema(element, of: source, [.name(keyword), .index(position)]))
        }
        return found
    }

    /// Returns the members of a keyword whose value is a mapping.
    func members(_ source: SchemaSource, _ keyword: String) throws(JSONSchemaError) -> JSONObject? {
        try value(source, keyword, "a mapping", \.object)
    }

    /// Returns the node of a schema at a path inside another.
    mutating func subschema(
        _ value: JSON,
        of source: SchemaSource,
        _ path: [JSONPointer.Token]
    ) throws(JSONSchemaError) -> Int {
        guard value.kind == .object || value.kind == .boolean else {
            throw documents.error("must be a schema: a mapping, true or false", at: source.location, path)
        }
        return index(of: documents.location(of: path, in: source.location))
    }
}
