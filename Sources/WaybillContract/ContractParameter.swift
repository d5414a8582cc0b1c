import WaybillFormats
package import WaybillJSON
package import WaybillSchema

/// A parameter of an operation (OpenAPI 3.1.1, section 4.8.12).
package struct ContractParameter: Sendable {
    /// The part of a request that contains the parameter.
    package enum Part: String, Sendable, CaseIterable {
        case path, query, header, cookie
        /// The whole query (OpenAPI 3.2).
        case querystring
    }

    /// The name in the request.
    package let name: String
    /// The part of the request.
    package let part: Part
    /// Whether a request must have it.
    package let isRequired: Bool
    /// The schema of the value.
    let schema: JSONSchema
    /// Whether an empty string is permitted whatever the schema says (OpenAPI 3.1.1, section 4.8.12.2).
    let allowsEmptyValue: Bool
    /// The schema as written, without `$ref`.
    package let schemaDocument: JSON
    /// Whether the value may be an object.
    let mayBeObject: Bool
    /// The value if none is given, for a required parameter.
    package let defaultValue: JSON?
    /// The location of the parameter.
    package let location: ContractLocation

    /// How it is written; `nil` for a value in JSON.
    let writer: ParameterWriter?
    let encoding: ParameterWriter.Encoding

    /// Returns how a value differs from the schema; `nil` if it does not.
    package func violation(in value: JSON) -> SchemaViolation? {
        allowsEmptyValue && value.string?.isEmpty == true ? nil : schema.validate(value, limit: 1).first
    }

    /// Whether a value is sent: null is not, and a list or object without values only as JSON, or in a path (RFC 6570, section
    /// 2.3).
    package func isSent(_ value: JSON) -> Bool { writer == nil || part == .path ? value != .null : !value.isUndefined }

    /// Returns the value as it is sent: in a query or cookie with the name, in a path or header field without; `nil` if it
    /// cannot be written in the style of the parameter.
    package func text(of value: JSON) -> String? {
        if let writer { return writer.text(of: value) }
        let json = JSONWriter().string(value)
        let text = encoding == .none ? json : ParameterWriter.encoded(json, encoding)
        return part == .query || part == .cookie ? "\(ParameterWriter.encoded(name, encoding))=\(text)" : text
    }

    /// The name of the style, for messages.
    package var style: String { writer?.style.rawValue ?? "content" }
}

extension ContractDocuments {
    /// Reads a parameter.
    func parameter(at start: ContractLocation) throws(ContractError) -> ContractParameter {
        let (location, members) = try object(at: start)
        guard let name = members["name"]?.string else {
            throw ContractError("a parameter must have a 'name'", at: location)
        }
        if members["in"] == "header", !name.isToken {
            throw ContractError("'\(name)' cannot be the name of a header field", at: location)
        }
        guard let part = members["in"]?.string.flatMap(ContractParameter.Part.init) else {
            throw ContractError("'in' must be one of path, query, header, cookie and querystring", at: location)
        }
        var isJSON = false
        let schemaOwner: ContractLocation
        if let content = members["content"]?.object {
            guard content.count == 1, let (type, _) = content.first else {
                throw ContractError("'content' of a parameter must have one media type", at: location)
            }
            isJSON = MediaTypeName(type).isJSON
            guard isJSON || part == .querystring && MediaTypeName(type).isForm else {
                throw ContractError(
                    "a parameter of the media type '\(type)' is not supported: expected application/json",
                    at: location.appending(.name("content"))
                )
            }
            schemaOwner = try object(at: location.appending(.name("content"), .name(type))).location
        } else {
            schemaOwner = location
        }
        let encoding: ParameterWriter.Encoding =
            part == .header
            ? .none
            : part == .querystring && !isJSON
                ? .form : part == .query && members["allowReserved"] == true ? .literal : .component
        let writer = isJSON ? nil : try self.writer(of: name, part, members, encoding, at: location)
        guard members["schema"] != nil || members["content"] != nil else {
            throw ContractError("a parameter must have a 'schema' or 'content'", at: location)
        }
        let schemaLocation = schemaOwner.appending(.name("schema"))
        let isTyped = value(at: schemaLocation) != nil
        let document = isTyped ? try object(ifSchemaAt: schemaLocation) : true
        let isRequired = part == .path || members["required"] == true
        return ContractParameter(
            name: name,
            part: part,
            isRequired: isRequired,
            schema: isTyped ? try schema(at: schemaLocation, for: .sending) : .anything,
            allowsEmptyValue: part == .query && members["allowEmptyValue"] == true,
            schemaDocument: document,
            mayBeObject: isTyped ? try mayBeObject(at: schemaLocation, depth: 0) : true,
            defaultValue: isRequired ? document["default"] : nil,
            location: location,
            writer: writer,
            encoding: writer?.encoding ?? encoding
        )
    }

    /// Whether a schema, or a part of it, accepts objects.
    private func mayBeObject(at start: ContractLocation, depth: Int) throws(ContractError) -> Bool {
        guard depth < 8, value(at: start)?.bool == nil else { return true }
        let (location, schema) = try schemaObject(at: start)
        if let types = schema["type"]?.array?.compactMap(\.string) ?? schema["type"]?.string.map({ [$0] }) {
            return types.contains("object")
        }
        if schema["properties"] != nil { return true }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for index in (schema[keyword]?.array ?? []).indices {
                let part = location.appending(.name(keyword), .index(index))
                if try mayBeObject(at: part, depth: depth + 1) { return true }
            }
        }
        return false
    }

    /// Returns the schema at a location, or the one that it refers to; booleans are schemas, too.
    func object(ifSchemaAt location: ContractLocation) throws(ContractError) -> JSON {
        if let schema = value(at: location), schema.bool != nil { return schema }
        return .object(try schemaObject(at: location).members)
    }

    private func writer(
        of name: String,
        _ part: ContractParameter.Part,
        _ members: JSONObject,
        _ encoding: ParameterWriter.Encoding,
        at location: ContractLocation
    ) throws(ContractError) -> ParameterWriter {
        let styles: [ParameterStyle] =
            switch part {
            case .path: [.simple, .label, .matrix]
            case .query: [.form, .spaceDelimited, .pipeDelimited, .deepObject]
            case .header: [.simple]
            case .cookie: [.form, .cookie]
            case .querystring: [.form]
            }
        var style = styles[0]
        if let written = members["style"] {
            guard let known = written.string.flatMap(ParameterStyle.init), styles.contains(known) else {
                let names = styles.map(\.rawValue).joined(separator: ", ")
                throw ContractError(
                    "the style of a parameter in '\(part.rawValue)' must be one of \(names)",
                    at: location.appending(.name("style"))
                )
            }
            style = known
        }
        return ParameterWriter(
            name: name,
            // The pairs of a Cookie field are not separated by '&'.
            style: part == .cookie ? .cookie : style,
            explodes: members["explode"]?.bool ?? (style == .form || style == .cookie),
            encoding: style == .cookie ? .none : encoding
        )
    }
}
