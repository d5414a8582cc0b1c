import WaybillDiagnostics

/// Reads the parts that are evaluated from a response: outputs, variables, and the shape of its data.
extension ManifestDecoder {
    /// Reads outputs.
    mutating func outputs(_ node: YAMLNode?, level: Level) -> [OutputDefinition] {
        constantNames(node).compactMap { name, node in
            if leavesOut(node) { return nil }
            if name.value == "secret", let mark = boolean(node) {
                report(
                    Diagnostic(
                        "misplaced-key",
                        "'secret' marks a single value, but is beside the values here",
                        at: name.span,
                        help: [
                            "Write 'NAME: {value: …, secret: \(mark)}' for each value that it marks.",
                            "For a value that is named 'secret', write 'secret: {value: \(mark)}'.",
                        ]
                    )
                )
            }
            let value = node.mapping == nil ? node : node["value"]
            let secretMark = node["secret"].flatMap { boolean($0) }
            return value.flatMap { expression($0) }
                .map { OutputDefinition(name: name, value: $0, secretMark: secretMark, level: level) }
        }
    }

    /// Reads variables, which are computed before each attempt.
    mutating func variables(_ node: YAMLNode?, level: Level) -> [VariableDefinition] {
        constantNames(node).compactMap { name, node in
            if leavesOut(node) { return nil }
            return valueTemplate(node).map { VariableDefinition(name: name, value: $0, level: level) }
        }
    }

    /// Reads the required shape of the data.
    mutating func returnShape(_ node: YAMLNode?, level: Level) -> ReturnShape? {
        guard let node, let (key, value) = node.mapping?.entries.first else { return nil }
        return schema(value, assertsFormats: true).map {
            ReturnShape(isCollection: key.text == "collection", schema: $0, span: value.span, level: level)
        }
    }
}
