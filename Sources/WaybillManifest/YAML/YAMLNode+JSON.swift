package import WaybillData

extension YAMLNode {
    /// The value as JSON, scalars by the core schema of YAML 1.2.
    ///
    /// The names of members are the texts of the keys. An entry whose key is not a scalar has no name in JSON and is left
    /// out; `YAMLReader.read` has refused it. The recursion is as deep as the tree, which the reader has limited.
    package var json: JSON {
        switch content {
        case .scalar(let scalar):
            return scalar.json
        case .sequence(let elements):
            return .array(elements.map(\.json))
        case .mapping(let mapping):
            var object = JSONObject()
            for (key, value) in mapping.entries {
                if let name = key.text { object[name] = value.json }
            }
            return .object(object)
        }
    }
}
