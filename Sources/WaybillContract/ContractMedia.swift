import WaybillFormats
package import WaybillJSON
package import WaybillSchema

/// A media type of a body, with the schema of the body (OpenAPI 3.1.1, section 4.8.14).
package struct ContractMedia: Sendable {
    /// The type or the range.
    package let name: MediaTypeName
    /// The schema of the body; `nil` if the document has none.
    package let schema: JSONSchema?
    /// The schema as written, without `$ref`.
    let schemaDocument: JSON
    /// The properties of a form or a multipart body, by name.
    package let fields: [CodePoints: Field]
    /// The location of the media type.
    package let location: ContractLocation
    let documents: ContractDocuments

    /// The first example of a body that a server sends, or a value made from the schema.
    package var example: JSON? { documents.example(at: location, for: .receiving) }

    /// How a property of a form or a multipart body is sent (OpenAPI 3.1.1, section 4.8.15).
    package struct Field: Sendable {
        /// The media types and ranges that a part may have; empty for the one that its value has.
        let contentTypes: [MediaTypeName]
        /// Whether its value is bytes, which a file can contain.
        package let isBinary: Bool
        let writer: ParameterWriter?

        /// Returns the media type of a part: its usual one if the document permits that, or else the first one of the document.
        package func contentType(usual: String?) -> String? {
            if let usual, contentTypes.best(for: MediaTypeName(usual)) != nil { return usual }
            return contentTypes.first { !$0.isRange }?.text ?? usual
        }
    }

    /// The maximum number of violations of a schema that are listed.
    static let maximumViolations = 20

    /// Returns the violations of the schema in a body to send. Only bodies of JSON, of fields and of text have schemas.
    ///
    /// - Parameter type: The media type that the request chooses; `nil` for that of the document.
    package func violations(in body: JSON, as type: MediaTypeName?) -> [SchemaViolation] {
        let type = type ?? name
        // A range is sent as JSON, unless the value is text or a file.
        let isJSON = type.isJSON || type.isRange && body.string == nil && body.fileName == nil
        guard let schema, isJSON || type.isForm || type.isMultipart || type.isText else { return [] }
        let violations = schema.validate(described(body), limit: Self.maximumViolations)
        guard violations.isEmpty, !isJSON, case .object(var members) = described(body) else { return violations }
        // What is not sent cannot satisfy the schema.
        for (name, value) in members where value.isUndefined { members[name] = nil }
        return schema.validate(.object(members), limit: Self.maximumViolations)
    }

    /// Returns a body as its schema describes it: of a multipart body, a string for each file.
    package func described(_ body: JSON) -> JSON {
        guard name.isMultipart, case .object(var members) = body else { return body }
        for (name, value) in members where fields[CodePoints(name)]?.isBinary == true {
            members[name] = value.array.map { .array($0.map(\.withoutFile)) } ?? value.withoutFile
        }
        return .object(members)
    }

    /// Returns a form as it is sent (WHATWG URL, section 5): a property without a style is repeated for each element of a
    /// list, and objects are JSON. `nil` if a property cannot be written in its style.
    package func form(of object: JSONObject) -> String? {
        var pairs: [String] = []
        for (name, value) in object where !value.isUndefined {
            if let writer = fields[CodePoints(name)]?.writer {
                guard let text = writer.text(of: value) else { return nil }
                pairs.append(text)
                continue
            }
            for value in value.array ?? [value] {
                let text = value.parameterText ?? JSONWriter().string(value)
                pairs.append("\(PercentEncoding.form(name))=\(PercentEncoding.form(text))")
            }
        }
        return pairs.joined(separator: "&")
    }
}

extension JSON {
    /// The path of `{file: PATH}`, for a body or a field of a multipart body.
    package var fileName: String? {
        guard case .object(let members) = self, members.count == 1 else { return nil }
        return members["file"]?.string
    }

    /// A string instead of `{file: PATH}`, as which schemas describe the bytes of files.
    fileprivate var withoutFile: JSON { fileName == nil ? self : "" }
}

extension ContractDocuments {
    /// Reads the media types of a body, in the order of the document; `nil` if it names none.
    func media(of owner: ContractLocation, for access: SchemaAccess) throws(ContractError) -> [ContractMedia]? {
        let content = owner.appending(.name("content"))
        guard let written = value(at: content) else { return nil }
        guard let types = written.object else { throw ContractError("this must be an object", at: content) }
        if types.isEmpty { return nil }
        var media: [ContractMedia] = []
        for (type, _) in types {
            let (location, members) = try object(at: content.appending(.name(type)))
            let schemaLocation = location.appending(.name("schema"))
            let hasSchema = members["schema"] != nil
            let name = MediaTypeName(type)
            media.append(
                ContractMedia(
                    name: name,
                    schema: hasSchema ? try schema(at: schemaLocation, for: access) : nil,
                    schemaDocument: hasSchema ? try object(ifSchemaAt: schemaLocation) : true,
                    fields: name.isForm || name.isMultipart ? try fields(of: location) : [:],
                    location: location,
                    documents: self
                )
            )
        }
        return media
    }

    private func fields(of media: ContractLocation) throws(ContractError) -> [CodePoints: ContractMedia.Field] {
        let list = media.appending(.name("encoding"))
        var encodings = JSONObject()
        for (name, _) in value(at: list)?.object ?? JSONObject() {
            encodings[name] = .object(try object(at: list.appending(.name(name))).members)
        }
        var fields: [CodePoints: ContractMedia.Field] = [:]
        for (location, schema) in parts(ofSchemaAt: media.appending(.name("schema"))) {
            for (name, _) in schema["properties"]?.object ?? JSONObject() where fields[CodePoints(name)] == nil {
                let property = location.appending(.name("properties"), .name(name))
                fields[CodePoints(name)] = field(name, encodings[name], isBinary: isBinary(at: property))
            }
        }
        for (name, encoding) in encodings where fields[CodePoints(name)] == nil {
            fields[CodePoints(name)] = field(name, encoding, isBinary: true)
        }
        return fields
    }

    private func field(_ name: String, _ encoding: JSON?, isBinary: Bool) -> ContractMedia.Field {
        let style = encoding?["style"]?.string.flatMap(ParameterStyle.init)
        let isStyled = ["style", "explode", "allowReserved"].contains { encoding?[$0] != nil }
        let writer = ParameterWriter(
            name: name,
            style: style ?? .form,
            explodes: encoding?["explode"]?.bool ?? (style ?? .form == .form),
            encoding: encoding?["allowReserved"] == true ? .literal : .component
        )
        let types = (encoding?["contentType"]?.string ?? "").split(separator: ",").map { MediaTypeName(String($0)) }
        return ContractMedia.Field(contentTypes: types, isBinary: isBinary, writer: isStyled ? writer : nil)
    }

    /// Whether the values of a schema may be bytes: `format: binary` in 3.0, no type or a media type without an encoding in
    /// later versions (OpenAPI 3.1.1, section 4.8.14.2).
    private func isBinary(at start: ContractLocation) -> Bool {
        let keywords = ["type", "properties", "allOf", "anyOf", "oneOf", "enum", "const"]
        return parts(ofSchemaAt: start, withElements: true).contains { _, schema in
            if schema["format"]?.string == "binary" { return true }
            guard schema["items"] == nil, schema["contentEncoding"] == nil else { return false }
            return schema["contentMediaType"] != nil || keywords.allSatisfy { schema[$0] == nil }
        }
    }
}
