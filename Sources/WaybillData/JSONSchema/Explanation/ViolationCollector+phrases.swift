extension ViolationCollector {
    /// What some alternatives allow, in a phrase: “a string or a mapping with one of the keys 'json', 'form'”.
    /// `nil` when they cannot be told apart by types and values.
    func phrase(for schemas: [Int]) -> String? {
        let traits = schemas.map { BranchTraits(of: $0, in: program) }
        var types = SchemaTypeSet([])
        for branch in traits where branch.values == nil { types.formUnion(branch.types) }
        guard types != .everything else { return nil }
        let values = traits.compactMap(\.values).flatMap { $0 }.firstOccurrences.filter { !types.accepts($0) }
        let words = types.types.map { type in
            type == .object ? mapping(of: traits.filter { $0.types.contains(.object) }) : type.words
        }
        let phrases = values.prefix(12).map(Wording.value) + words
        return phrases.isEmpty ? nil : Wording.list(phrases)
    }

    /// A mapping, with the names that tell its forms apart.
    private func mapping(of traits: [BranchTraits]) -> String {
        if traits.count == 1, (1...3).contains(traits[0].required.count) {
            return "a mapping with \(Wording.keys(traits[0].required))"
        }
        let telling = BranchTraits.tellingNames(of: traits)
        let names = telling.compactMap(\.first).firstOccurrences
        return names.count > 1 && telling.allSatisfy({ !$0.isEmpty })
            ? "a mapping with one of \(Wording.keys(names, "or"))" : "a mapping"
    }
}
