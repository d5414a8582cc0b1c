/// The filter stages.
package enum FilterStages {
    /// All stages.
    package static let all: [any FilterStage.Type] = [
        RequireStage.self, SelectStage.self, EnvelopeStage.self, MapStage.self, WhereStage.self, PickStage.self,
        OmitStage.self, RenameStage.self, SetStage.self, SortStage.self, UniqueStage.self, LimitStage.self,
        FlattenStage.self, ZipStage.self, UnionStage.self, GroupStage.self, DecodeStage.self, SchemaStage.self,
        DefaultStage.self,
    ]

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    /// Reads a stage from a mapping with its key; `nil` if it cannot be read, which is reported.
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> (any FilterStage)? {
        guard let (key, value) = node.mapping?.entries.first, let type = byKey[key.text ?? ""] else { return nil }
        return type.init(value, &decoder)
    }
}
