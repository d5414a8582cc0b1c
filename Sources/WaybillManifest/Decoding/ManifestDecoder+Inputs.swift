import WaybillDiagnostics
import WaybillJSON
import WaybillSchema

/// Reads inputs and schemas.
extension ManifestDecoder {
    /// Reads the declarations of inputs.
    mutating func inputs(_ node: YAMLNode?) -> Definitions<InputDeclaration> {
        definitions(node) { decoder, _, node, _ in
            if decoder.leavesOut(node) { return Self.unknownInput(at: node.span) }
            guard let short = node.text else { return decoder.input(schema: node.json, node) }
            return decoder.shortInput(short, node)
        }
    }

    /// Reads conditions on inputs.
    mutating func inputChecks(_ node: YAMLNode?) -> [Check] {
        (node?.sequence ?? []).compactMap { check($0, help: "Use the inputs, as in 'inputs.from <= inputs.to'.") }
    }

    /// Returns an input of which only the name is known.
    private static func unknownInput(at span: SourceSpan) -> InputDeclaration {
        InputDeclaration(schema: .anything, document: true, types: [], span: span, isUnknown: true)
    }

    /// Reads an input with a short schema: `string`, `integer|string`, `string?`.
    private mutating func shortInput(_ short: String, _ node: YAMLNode) -> InputDeclaration? {
        if var known = shortInputs[short] {
            known.span = node.span
            return known
        }
        let isOptional = short.hasSuffix("?")
        var types = short.filter { $0 != "?" }.split(separator: "|").map { JSON.string(String($0)) }
        if isOptional, !types.contains("null") { types.append("null") }
        var input = input(schema: ["type": .array(types)], node)
        if isOptional { input?.defaultValue = .null }
        shortInputs[short] = input
        return input
    }

    private mutating func input(schema json: JSON, _ node: YAMLNode) -> InputDeclaration? {
        var json = json
        let variable = json["env"]?.string
        if case .object(var object) = json {
            object["env"] = nil
            json = .object(object)
        }
        guard let schema = compiled(json, at: node) else { return nil }
        let types = json["type"].map { $0.array ?? [$0] } ?? []
        let input = InputDeclaration(
            schema: schema,
            document: json,
            types: types.compactMap(\.string),
            defaultValue: json["default"],
            environmentVariable: variable,
            span: node.span
        )
        if let value = input.defaultValue, let violation = schema.validate(value).first {
            diagnostics.report(
                "invalid-input",
                "the default does not match the schema of its input: it \(violation.message)",
                at: node["default"]?.span ?? node.span
            )
        }
        return input
    }

    /// Reads a JSON Schema that is written in the manifest or in a file that the manifest names.
    mutating func schema(_ node: YAMLNode) -> JSONSchema? {
        guard boolean(node) == nil, let path = text(node) else { return compiled(node.json, at: node) }
        if path.value.utf8.contains(UInt8(ascii: "#")) {
            // A part of a file, such as 'shop.json#/components/schemas/Order'.
            let reference = JSON.object(JSONObject([("$ref", .string(path.value))]))
            return compiled(reference, at: node)
        }
        let (schema, diagnostics) = files.schema(path)
        for diagnostic in diagnostics { report(diagnostic) }
        schemaFiles[node.span] = schema?.document
        return schema
    }

    /// Reports each `${…}` in the values of a schema.
    private mutating func warnOfTemplates(inValuesOf schema: YAMLNode) {
        for (key, value) in schema.entries {
            if ["const", "enum", "default"].contains(key.text) {
                warnOfTemplates(in: value, "a value in a schema is used as it is written")
            } else {
                warnOfTemplates(inValuesOf: value)
            }
        }
        for element in schema.sequence ?? [] { warnOfTemplates(inValuesOf: element) }
    }

    private mutating func compiled(_ json: JSON, at node: YAMLNode) -> JSONSchema? {
        warnOfTemplates(inValuesOf: node)
        let (schema, diagnostics) = SchemaFiles.compile(json, in: node.span.file.name, files: files) {
            node.span(at: $0) ?? node.span
        }
        for diagnostic in diagnostics { report(diagnostic) }
        return schema
    }
}
