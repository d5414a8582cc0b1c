import WaybillData
import WaybillDiagnostics

/// Endpoints and requests in place.
extension ManifestDecoder {
    /// A request: its own keys and the settings beside them.
    mutating func request(_ node: YAMLNode, level: Level) -> RequestDefinition? {
        // All parts are read, also when one of them cannot be, so that every mistake is found.
        let address = address(node, level: level)
        let settings = settings(node, level: level)
        let outputs = outputs(node["outputs"], level: level)
        guard let address else { return nil }
        var request = RequestDefinition(address: address)
        request.settings = settings
        request.outputs = outputs
        for (name, value) in entries(node) {
            switch name.value {
            case "service": request.service = text(value)
            case "method": request.method = text(value)
            case "mock": request.mock = mockExamples(value)
            default: break
            }
        }
        return request
    }

    /// One example answer or a list of them.
    func mockExamples(_ node: YAMLNode) -> [MockExample] {
        (node.sequence ?? [node]).map { mockExample($0) }
    }

    private func mockExample(_ node: YAMLNode) -> MockExample {
        MockExample(
            status: node["status"].flatMap { integer($0) } ?? 200,
            headers: entries(node["headers"]).map { ($0.name.value, $0.value.scalar?.text ?? "") },
            body: node["body"].map { $0.json },
            delay: node["delay"]?.scalar.flatMap { Duration(manifestText: $0.text) } ?? .zero,
            span: node.span
        )
    }

    private mutating func address(_ node: YAMLNode, level: Level) -> Address? {
        if let url = node["url"] {
            return scalarTemplate(url).map { .url(Setting($0, at: url.span, level: level)) }
        }
        guard let path = node["path"] else { return nil }
        return scalarTemplate(path).map { .path(Setting($0, at: path.span, level: level)) }
    }

    /// An endpoint.
    mutating func endpoint(_ node: YAMLNode, named name: String) -> Endpoint? {
        let inputs = inputs(node["inputs"])
        return request(node, level: .endpoint(name)).map { Endpoint(inputs: inputs, request: $0) }
    }

    /// Declarations of inputs.
    mutating func inputs(_ node: YAMLNode?) -> Definitions<InputDeclaration> {
        definitions(node) { decoder, _, node in
            guard let short = node.scalar?.text else { return decoder.input(schema: node.json, node) }
            let isOptional = short.hasSuffix("?")
            var types = short.filter { $0 != "?" }.split(separator: "|").map { JSON.string(String($0)) }
            if isOptional, !types.contains("null") { types.append("null") }
            var input = decoder.input(schema: ["type": .array(types)], node)
            if isOptional { input?.defaultValue = .null }
            return input
        }
    }

    private mutating func input(schema json: JSON, _ node: YAMLNode) -> InputDeclaration? {
        var json = json
        let variable = json["env"]?.string
        if case .object(var object) = json {
            object["env"] = nil
            json = .object(object)
        }
        guard let schema = schema(json, at: node) else { return nil }
        let types = json["type"].map { $0.array ?? [$0] } ?? []
        let input = InputDeclaration(
            schema: schema,
            types: types.compactMap(\.string),
            defaultValue: json["default"],
            environmentVariable: variable,
            span: node.span
        )
        if let value = input.defaultValue, let violation = schema.validate(value).first {
            report(
                Diagnostic(
                    "invalid-input",
                    "the default does not fit the schema of its input: it \(violation.message)",
                    at: node["default"]?.span ?? node.span
                )
            )
        }
        return input
    }
}
