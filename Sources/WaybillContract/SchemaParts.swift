package import WaybillJSON

extension ContractDocuments {
    /// The maximum number of parts of a schema.
    private static let maximumParts = 1_000

    /// Returns a schema and those in its `allOf`, `anyOf` and `oneOf`, each once and without `$ref`. What cannot be read is left out:
    /// it is found when the schema is compiled.
    ///
    /// - Parameter withElements: Whether the schemas of the elements of lists are parts, too.
    func parts(
        ofSchemaAt start: ContractLocation,
        withElements: Bool = false
    ) -> [(location: ContractLocation, schema: JSONObject)] {
        var parts: [(location: ContractLocation, schema: JSONObject)] = []
        var seen: Set<ContractLocation> = []
        var open = [start]
        while let next = open.popLast(), parts.count < Self.maximumParts {
            guard let (location, schema) = try? schemaObject(at: next), seen.insert(location).inserted else { continue }
            parts.append((location, schema))
            let inner = ["allOf", "anyOf", "oneOf"].flatMap { keyword in
                (schema[keyword]?.array ?? []).indices.map { location.appending(.name(keyword), .index($0)) }
            }
            open += (inner + (withElements ? [location.appending(.name("items"))] : [])).reversed()
        }
        return parts
    }
}

extension OpenAPIDocument {
    /// The maximum number of schemas that are searched for one part of a value.
    private static let maximumSchemas = 1_000

    /// Returns the schemas that may apply to a part of a value, without references and alternatives.
    ///
    /// - Parameter owner: The location of the parameter or media type that has the schema.
    package func schemas(of owner: ContractLocation, at path: [JSONPointer.Token]) -> [JSON] {
        var start = owner
        // A parameter may have the schema of a media type.
        if documents.value(at: owner)?["schema"] == nil,
            let (location, members) = try? documents.object(at: owner),
            let type = members["content"]?.object?.first?.name
        {
            start = location.appending(.name("content"), .name(type))
        }
        var current = documents.parts(ofSchemaAt: start.appending(.name("schema")))
        for token in path {
            current = current.prefix(Self.maximumSchemas).flatMap { location, schema in
                switch token {
                case .name(let name) where schema["properties"]?[name] != nil:
                    documents.parts(ofSchemaAt: location.appending(.name("properties"), .name(name)))
                case .name: documents.parts(ofSchemaAt: location.appending(.name("additionalProperties")))
                case .index: documents.parts(ofSchemaAt: location.appending(.name("items")))
                }
            }
        }
        return current.map { .object($0.schema) }
    }
}

extension Operation {
    /// The media types of the bodies that are responses to a request that succeeds.
    package var successMedia: [ContractMedia] {
        responses.filter { $0.status.isSuccess }.flatMap { $0.media ?? [] }
    }

    /// The location of the parameter or media type whose schema describes an input; `nil` if there is no such input.
    package func schemaOwner(ofInput name: String) -> ContractLocation? {
        if let index = inputNames.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) {
            return parameters[index].location
        }
        return name == "body" ? body?.preferred.location : nil
    }
}
