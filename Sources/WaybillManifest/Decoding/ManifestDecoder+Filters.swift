import WaybillDiagnostics
import WaybillJSON

/// Lists of filters.
extension ManifestDecoder {
    /// A list of filters.
    mutating func filters(_ node: YAMLNode, level: Level) -> [Setting<FilterEntry>] {
        (node.sequence ?? []).compactMap { node in
            filterEntry(node).map { Setting($0, at: node.span, level: level) }
        }
    }

    /// A name, `{filter: NAME, for: any}`, or a stage written in place.
    mutating func filterEntry(_ node: YAMLNode) -> FilterEntry? {
        if let name = text(node) { return .named(name, onEveryStatus: false) }
        if let filter = node["filter"] {
            return text(filter).map { .named($0, onEveryStatus: node["for"]?.text == "any") }
        }
        guard let (key, value) = node.mapping?.entries.first else { return nil }
        return stage(key.text ?? "", value).map(FilterEntry.stage)
    }

    private mutating func stage(_ kind: String, _ node: YAMLNode) -> FilterStage? {
        switch kind {
        case "require": return requirement(node)
        case "select":
            guard node.mapping != nil else { return expression(node).map { .select($0, default: nil) } }
            let fallback = node["default"].flatMap { valueTemplate($0) }
            return node["path"].flatMap { expression($0) }.map { .select($0, default: fallback) }
        case "envelope": return envelope(node).map(FilterStage.envelope)
        case "map": return valueTemplate(node).map(FilterStage.map)
        case "where": return condition(node).map(FilterStage.where)
        case "pick": return .pick((node.sequence ?? []).compactMap { text($0) })
        case "omit": return .omit((node.sequence ?? []).compactMap { text($0) })
        case "rename":
            return .rename(constantNames(node).compactMap { old, node in text(node).map { (old, $0) } })
        case "set":
            return .set(constantNames(node).compactMap { name, node in expression(node).map { (name, $0) } })
        case "sort":
            return .sort(by: node["by"].flatMap { expression($0) }, isDescending: node["order"]?.text == "desc")
        case "unique": return .unique(by: node["by"].flatMap { expression($0) })
        case "limit": return integer(node).map(FilterStage.limit)
        case "flatten": return .flatten
        case "decode": return word(node).map(FilterStage.decode)
        case "schema": return schema(node).map(FilterStage.schema)
        case "default": return valueTemplate(node).map(FilterStage.default)
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
        warnOfTemplates(in: node["ok"], "the code is compared with this as it is written")
        return code.map {
            FilterStage.Envelope(code: $0, ok: ok.map { $0.array ?? [$0] } ?? [0], message: message, data: data)
        }
    }
}
