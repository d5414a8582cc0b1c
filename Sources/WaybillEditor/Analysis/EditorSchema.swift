import WaybillExplanations
import WaybillJSON

/// The schema of manifests in the form for editors, in which every mapping lists all of its keys.
enum EditorSchema {
    private static let root = FlatSchema.json
    /// The maximum depth of alternatives that are followed.
    private static let maximumDepth = 12

    /// Returns the schemas that may apply to the value at a path, without references and alternatives.
    ///
    /// - Parameter root: The schema of all; if not given, that of manifests.
    static func schemas(at path: [JSONPointer.Token], in root: JSON = root) -> [JSON] {
        func expanded(_ schema: JSON) -> [JSON] { self.expanded(schema, in: root) }
        var current = expanded(root)
        for part in path {
            current = current.flatMap { schema -> [JSON] in
                switch part {
                case .name(let name):
                    let own = schema["properties"]?[name] ?? schema["additionalProperties"]
                    return own.map { expanded($0) } ?? []
                case .index: return schema["items"].map { expanded($0) } ?? []
                }
            }
        }
        return current
    }

    /// Returns the keys of the mapping at a path, each with its description in Markdown: those that the mapping must have, then
    /// its own, then the settings, each in the order of the schema.
    ///
    /// - Parameter present: The keys that it has, without which and without those that they exclude the others are returned.
    static func keys(
        at path: [JSONPointer.Token],
        beside present: [String] = []
    ) -> [(name: String, description: String)] {
        let schemas = schemas(at: path)
        var seen = Set(present)
        for schema in schemas {
            let forms = schema["oneOf"]?.array ?? []
            func needs(_ form: JSON) -> [String] { form["required"]?.array?.compactMap(\.string) ?? [] }
            let chosen = forms.filter { needs($0).contains(where: present.contains) }
            guard !chosen.isEmpty else { continue }
            seen.formUnion(Set(forms.flatMap(needs)).subtracting(chosen.flatMap(needs)))
            for (name, schema) in chosen.flatMap({ Array($0["properties"]?.object ?? JSONObject()) })
            where schema == false {
                seen.insert(name)
            }
        }
        let required = Set(schemas.flatMap { $0["required"]?.array ?? [] }.compactMap(\.string))
        let keys = schemas.flatMap { $0["properties"]?.object ?? JSONObject() }.compactMap { name, schema in
            let isSetting = schema["$ref"]?.string?.hasPrefix("#/definitions/settings.") ?? false
            let group = required.contains(name) ? 0 : isSetting ? 2 : 1
            return seen.insert(name).inserted ? (group, name, description(of: schema)) : nil
        }
        return (0...2).flatMap { group in keys.filter { $0.0 == group }.map { ($0.1, $0.2) } }
    }

    /// Returns the words and constants that the value at a path can be.
    static func values(at path: [JSONPointer.Token]) -> [String] { schemas(at: path).flatMap(values).map(\.words) }

    /// Returns the words and constants that a schema allows.
    static func values(of schema: JSON) -> [JSON] {
        let types = schema["type"].map { $0.array ?? [$0] } ?? []
        if types.contains("boolean") { return [true, false] }
        return (schema["enum"]?.array ?? []) + [schema["const"]].compactMap { $0 }
    }

    /// Returns the description of the key that a path ends in; `nil` if it has none.
    static func description(of path: [JSONPointer.Token]) -> String? {
        guard case .name(let name)? = path.last else { return nil }
        return keys(at: path.dropLast()).first { $0.name == name }?.description
    }

    private static func description(of schema: JSON) -> String {
        expanded(schema, in: root).lazy.compactMap { ($0["markdownDescription"] ?? $0["description"])?.string }.first
            ?? ""
    }

    private static func expanded(_ schema: JSON, in root: JSON, depth: Int = 0) -> [JSON] {
        guard depth < maximumDepth, schema.object != nil else { return [] }
        if let reference = schema["$ref"]?.string {
            let target = JSONPointer(parsing: String(reference.dropFirst()))?.resolve(in: root)
            return expanded(target ?? .null, in: root, depth: depth + 1)
        }
        let alternatives = ["anyOf", "oneOf", "allOf"].flatMap { schema[$0]?.array ?? [] }
        return [schema] + alternatives.flatMap { expanded($0, in: root, depth: depth + 1) }
    }
}
