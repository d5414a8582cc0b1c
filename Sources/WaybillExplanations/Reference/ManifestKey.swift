package import WaybillJSON

/// A key of manifests, as their schema describes it.
package struct ManifestKey: Sendable, Equatable {
    /// Its name; in a table of keys inside another one, the path to it, such as `backoff.first`.
    package var name: String
    /// The description.
    package let text: String
    /// The type of its value in words, such as `string | list`; `nil` if it can be anything.
    package let type: String?
    /// The value that applies if the key is absent, if the schema names it.
    package let defaultValue: JSON?
    /// A value that the key may have.
    package let example: JSON?

    /// The key with that value, as YAML.
    package var exampleText: String? { example.map { YAMLExample.text(name, $0) } }
}

/// The keys that the schema of manifests defines.
struct ManifestKeyReader {
    /// The schema's definitions, by name.
    let definitions: JSON

    /// Reads a key from its property in the schema; `nil` if the property has no description.
    func key(_ name: String, _ property: JSON) -> ManifestKey? {
        guard let text = property["description"]?.string else { return nil }
        let referred = Self.reference(in: property).flatMap { definitions[$0] }
        let defaultValue = property["default"] ?? referred?["default"]
        return ManifestKey(
            name: name,
            text: text,
            type: type(of: property, depth: 0).map { $0 + computation(of: property) },
            defaultValue: defaultValue,
            example: Self.example(of: property, excluding: defaultValue)
                ?? referred.flatMap { Self.example(of: $0, excluding: defaultValue) }
        )
    }

    /// The name of the definition that a schema refers to.
    static func reference(in schema: JSON) -> String? {
        schema["$ref"]?.string.map { String($0.dropFirst("#/$defs/".count)) }
    }

    /// The first of the schema's examples, or a value of an enumeration or boolean that is not the default.
    private static func example(of schema: JSON, excluding defaultValue: JSON?) -> JSON? {
        if let example = schema["examples"]?[0] { return example }
        if let value = schema["const"] { return value }
        if let values = schema["enum"]?.array { return values.first { $0 != defaultValue && $0 != .null } }
        guard (schema["type"]?.array ?? [schema["type"] ?? .null]).contains("boolean") else { return nil }
        return .bool(defaultValue != true)
    }

    /// The type of a value in words: `string | list`.
    private func type(of schema: JSON, depth: Int) -> String? {
        if depth > 4 { return nil }
        if let name = Self.reference(in: schema), schema["type"] == nil {
            return definitions[name].flatMap { type(of: $0, depth: depth + 1) }
        }
        if let values = schema["enum"]?.array {
            // A version may be written as a string or as a number.
            var seen: Set<String> = []
            return values.map(Self.word).filter { seen.insert($0).inserted }.joined(separator: " | ")
        }
        if let value = schema["const"] { return Self.word(value) }
        if let alternatives = (schema["anyOf"] ?? schema["oneOf"])?.array, schema["type"] == nil {
            var words: [String] = []
            let types = alternatives.compactMap { type(of: $0, depth: depth + 1)?.split(separator: " | ") }
            for word in types.joined().map(String.init) where !words.contains(word) { words.append(word) }
            return words.isEmpty ? nil : words.joined(separator: " | ")
        }
        if let type = schema["type"]?.string { return type }
        let types = schema["type"]?.array?.compactMap(\.string) ?? []
        return types.isEmpty ? nil : types.joined(separator: " | ")
    }

    /// Whether the value is an expression or may contain `${…}`, in words.
    private func computation(of schema: JSON) -> String {
        let referred = Self.reference(in: schema).flatMap { definitions[$0] } ?? .null
        func has(_ mark: String) -> Bool { schema[mark] == true || referred[mark] == true }
        return has("x-waybill-expression")
            ? ", an expression" : has("x-waybill-template") ? ", may contain ${…}" : ""
    }

    private static func word(_ value: JSON) -> String { value.string ?? JSONWriter().string(value) }
}
