import WaybillData
import WaybillDiagnostics

/// What is done with an answer: expectations, filters, outputs.
extension ManifestDecoder {
    mutating func expectation(_ node: YAMLNode, level: Level) -> Expectation {
        var expectation = Expectation()
        for (name, value) in entries(node) {
            switch name.value {
            case "status":
                let patterns = (value.sequence ?? [value]).compactMap { $0.scalar.flatMap { statusPattern($0.text) } }
                expectation.status = Setting(patterns, at: value.span, level: level)
            case "headers":
                expectation.headers = entries(value).map { name, value in
                    let glob = scalarTemplate(value).flatMap { $0.isNull ? nil : $0 }
                    return (name, Setting(glob, at: value.span, level: level))
                }
            case "json":
                expectation.json = valueTemplate(value).map { Setting($0, at: value.span, level: level) }
            case "body":
                expectation.body = (value.sequence ?? []).compactMap { node in
                    check(node).map { Setting($0, at: node.span, level: level) }
                }
            case "maxTime":
                expectation.maxTime = duration(value).map { Setting($0, at: value.span, level: level) }
            case "schema":
                expectation.schema = schema(value.json, at: value).map { Setting($0, at: value.span, level: level) }
            default: break
            }
        }
        return expectation
    }

    private func statusPattern(_ text: String) -> StatusPattern? {
        if let code = Int(text) { return .code(code) }
        guard text.lowercased().hasSuffix("xx"), let digit = text.first?.wholeNumberValue else { return nil }
        return .class(digit)
    }

    private mutating func check(_ node: YAMLNode) -> Check? {
        let that = node.mapping == nil ? node : node["that"]
        let message = node.mapping == nil ? nil : node["message"].flatMap { scalarTemplate($0) }
        return that.flatMap { condition($0) }.map { Check(that: $0, message: message) }
    }

    /// A list of filters.
    mutating func filters(_ node: YAMLNode, level: Level) -> [Setting<FilterEntry>] {
        (node.sequence ?? []).compactMap { node in
            filterEntry(node).map { Setting($0, at: node.span, level: level) }
        }
    }

    private mutating func filterEntry(_ node: YAMLNode) -> FilterEntry? {
        if let name = text(node) { return .named(name) }
        guard let (kind, value) = entries(node).first.map({ ($0.name.value, $0.value) }) else { return nil }
        switch kind {
        case "filter": return text(value).map(FilterEntry.named)
        case "require": return requirement(value).map(FilterEntry.stage)
        case "select":
            guard value.mapping != nil else { return expression(value).map { .stage(.select($0, default: nil)) } }
            let fallback = value["default"].flatMap { valueTemplate($0) }
            return value["path"].flatMap { expression($0) }.map { .stage(.select($0, default: fallback)) }
        case "envelope": return envelope(value).map { .stage(.envelope($0)) }
        default: return nil
        }
    }

    private mutating func requirement(_ node: YAMLNode) -> FilterStage? {
        guard node.mapping != nil else {
            return condition(node).map { .require(that: $0, code: nil, message: nil) }
        }
        let that = node["that"].flatMap { condition($0) }
        let code = node["code"].flatMap { expression($0) }
        let message = node["message"].flatMap { expression($0) }
        return that.map { .require(that: $0, code: code, message: message) }
    }

    private mutating func envelope(_ node: YAMLNode) -> FilterStage.Envelope? {
        let code = node["code"].flatMap { expression($0) }
        let message = node["message"].flatMap { expression($0) }
        let data = node["data"].flatMap { expression($0) }
        let ok = node["ok"].map { $0.json }
        return code.map {
            FilterStage.Envelope(code: $0, ok: ok.map { $0.array ?? [$0] } ?? [0], message: message, data: data)
        }
    }

    /// Named values.
    mutating func outputs(_ node: YAMLNode?, level: Level) -> [OutputDefinition] {
        entries(node).compactMap { name, node in
            let value = node.mapping == nil ? node : node["value"]
            let isSecret = node.mapping == nil ? false : node["secret"]?.json.bool ?? false
            return value.flatMap { expression($0) }
                .map { OutputDefinition(name: name, value: $0, isSecret: isSecret, level: level) }
        }
    }

    /// A JSON Schema written in the manifest.
    mutating func schema(_ json: JSON, at node: YAMLNode) -> JSONSchema? {
        do {
            return try JSONSchema(compiling: json)
        } catch {
            report(
                Diagnostic(
                    "invalid-schema",
                    "this is not a valid JSON Schema: \(error.message)",
                    at: node.span(at: error.location.tokens.map(\.text)) ?? node.span
                )
            )
            return nil
        }
    }
}
