extension SchemaProgram {
    /// Returns a phrase for what some alternatives allow: “a string or a mapping with one of the keys 'json', 'form'”;
    /// `nil` if they cannot be distinguished by types and values.
    func phrase(for schemas: [Int]) -> String? {
        let traits = schemas.map { BranchTraits(of: $0, in: self) }
        var types = SchemaTypeSet([])
        for branch in traits where branch.values == nil { types.formUnion(branch.types) }
        guard types != .everything else { return nil }
        let values = traits.compactMap(\.values).flatMap { $0 }.firstOccurrences.filter { !types.accepts($0) }
        let others = values.prefix(12).map(Wording.value)
        let words = types.types.flatMap { type in
            type == .object
                ? [mapping(of: traits.filter { $0.types.contains(.object) })]
                : Wording.words(type, isAlone: others.isEmpty && types.types.count == 1)
        }
        let phrases = others + words
        return phrases.isEmpty ? nil : Wording.list(phrases)
    }

    /// Returns a phrase for a mapping, with the names that distinguish its forms.
    private func mapping(of traits: [BranchTraits]) -> String {
        if traits.count == 1 { return Wording.mapping(with: traits[0].required) }
        let distinctive = BranchTraits.distinctiveNames(of: traits)
        let names = distinctive.compactMap(\.first).firstOccurrences
        return names.count > 1 && distinctive.allSatisfy({ !$0.isEmpty })
            ? "a mapping with one of \(Wording.keys(names, "or"))" : "a mapping"
    }
}
