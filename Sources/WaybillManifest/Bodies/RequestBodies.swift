/// The kinds of request bodies.
package enum RequestBodies {
    /// All kinds.
    package static let all: [any RequestBody.Type] = [
        JSONBody.self, FormBody.self, PropertyListBody.self, TextBody.self, Base64Body.self, FileBody.self,
        GraphQLBody.self, MultipartBody.self,
    ]

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    /// Reads a body from a mapping with its key; `nil` if it cannot be read, which is reported.
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> (any RequestBody)? {
        guard let (key, value) = node.mapping?.entries.first, let type = byKey[key.text ?? ""] else { return nil }
        return type.init(value, &decoder)
    }
}
