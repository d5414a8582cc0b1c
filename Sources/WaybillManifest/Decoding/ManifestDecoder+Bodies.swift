package import WaybillDiagnostics

/// Explicit bodies.
extension ManifestDecoder {
    mutating func body(_ node: YAMLNode) -> BodyDefinition? {
        guard let (kind, value) = node.mapping?.entries.first else { return nil }
        switch kind.text {
        case "json": return valueTemplate(value).map(BodyDefinition.json)
        case "form": return .form(members(value))
        case "plist":
            let list = valueTemplate(value)
            if let null = list?.firstNull { report(.nullInPropertyList(at: null)) }
            return list.map(BodyDefinition.plist)
        case "text": return scalarTemplate(value).map(BodyDefinition.text)
        case "base64": return scalarTemplate(value).map(BodyDefinition.base64)
        case "file": return scalarTemplate(value).map(BodyDefinition.file)
        case "graphql":
            let variables = value["variables"].map { members($0) } ?? []
            return value["query"].flatMap { scalarTemplate($0) }.map { .graphql(query: $0, variables: variables) }
        case "multipart":
            return .multipart((value.sequence ?? []).compactMap { part($0) })
        default: return nil
        }
    }

    private mutating func part(_ node: YAMLNode) -> BodyDefinition.Part? {
        guard let content = content(of: node) else { return nil }
        var headers: [(name: Spanned<String>, value: ScalarTemplate)] = []
        for (name, value) in named(node["headers"]) {
            if let value = scalarTemplate(value) { headers.append((name, value)) }
        }
        return BodyDefinition.Part(
            name: node["name"].flatMap { scalarTemplate($0) },
            content: content,
            filename: node["filename"].flatMap { scalarTemplate($0) },
            contentType: node["contentType"].flatMap { scalarTemplate($0) },
            headers: headers,
            span: node.span
        )
    }

    private mutating func content(of part: YAMLNode) -> BodyDefinition.Part.Content? {
        for (key, node) in part.mapping?.entries ?? .empty {
            switch key.text {
            case "value": return scalarTemplate(node).map(BodyDefinition.Part.Content.value)
            case "file": return scalarTemplate(node).map(BodyDefinition.Part.Content.file)
            case "text": return scalarTemplate(node).map(BodyDefinition.Part.Content.text)
            case "base64": return scalarTemplate(node).map(BodyDefinition.Part.Content.base64)
            case "json": return valueTemplate(node).map(BodyDefinition.Part.Content.json)
            default: continue
            }
        }
        return nil
    }
}

extension Diagnostic {
    /// A null in what is sent as a property list, which has no such value.
    package static func nullInPropertyList(at span: SourceSpan) -> Diagnostic {
        Diagnostic(
            "invalid-value",
            "a property list cannot contain null",
            at: span,
            help: ["Leave the name out, or send another value."]
        )
    }
}
