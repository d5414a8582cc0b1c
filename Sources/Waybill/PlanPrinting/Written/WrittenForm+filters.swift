import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillSchema

/// Filters.
extension WrittenForm {
    /// An entry of a list of filters.
    func value(_ entry: FilterEntry) -> JSON {
        switch entry {
        case .named(let name, onEveryStatus: true): ["filter": .string(text(name.value)), "for": "any"]
        case .named(let name, onEveryStatus: false): .string(text(name.value))
        case .stage(let stage): value(stage)
        }
    }

    /// A stage, under its key.
    func value(_ stage: any FilterStage) -> JSON {
        .object(JSONObject([(name: stage.key, value: content(of: stage))]))
    }

    /// What is written under a stage's key, from the properties of the stage.
    private func content(of stage: any FilterStage) -> JSON {
        let names = ["fallback": "default", "content": "data", "isDescending": "order"]
        let parts = Mirror(reflecting: stage).children.compactMap { label, value in
            part(value).map { (name: names[label ?? ""] ?? label ?? "", value: $0) }
        }
        guard let first = parts.first, parts.count == 1, !["sort", "unique"].contains(stage.key) else {
            return parts.isEmpty && stage.key == "flatten" ? true : .object(JSONObject(parts))
        }
        return first.value
    }

    private func part(_ value: Any) -> JSON? {
        switch value {
        case let expression as ManifestExpression: .string(text(expression))
        case let template as ValueTemplate: self.value(template)
        case let names as [Spanned<String>]: .array(names.map { .string(text($0.value)) })
        case let names as [(old: Spanned<String>, new: Spanned<String>)]:
            .object(JSONObject(names.map { (text($0.old.value), .string(text($0.new.value))) }))
        case let members as [(name: Spanned<String>, value: ManifestExpression)]:
            .object(JSONObject(members.map { (text($0.name.value), .string(text($0.value))) }))
        case let schema as JSONSchema: self.value(schema.document)
        case let codes as [JSON]: .array(codes.map(self.value))
        case let isDescending as Bool: isDescending ? "desc" : "asc"
        case let count as Int: .count(count)
        default: Mirror(reflecting: value).displayStyle == .enum ? .string("\(value)") : nil
        }
    }
}
