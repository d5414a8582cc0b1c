extension ViolationCollector {
    /// What some alternatives allow, in a phrase: “a string or a mapping with one of the keys 'json', 'form'”.
    func phrase(for schemas: [Int]) -> String {
        let traits = schemas.map { BranchTraits(of: $0, in: program) }
        let values = schemas.compactMap { program.nodes[$0].constant ?? program.nodes[$0].enumeration }
        if values.count == schemas.count {
            let list = values.flatMap(\.list)
            if list.count <= 12 { return Wording.list(list.map(Wording.value)) }
        }
        let types = traits.reduce(into: SchemaTypeSet([])) { $0.formUnion($1.types) }
        guard types != .everything, !types.types.isEmpty else { return "one of the allowed forms" }
        return Wording.list(
            types.types.map { type in
                type == .object ? mapping(of: traits.filter { $0.types.contains(.object) }) : type.words
            }
        )
    }

    /// A mapping, with the names that tell its forms apart.
    private func mapping(of traits: [BranchTraits]) -> String {
        if traits.count == 1, (1...3).contains(traits[0].required.count) {
            return "a mapping with \(Wording.keys(traits[0].required))"
        }
        let telling = BranchTraits.tellingNames(of: traits)
        let names = telling.compactMap(\.first).firstOccurrences
        return names.count > 1 && telling.allSatisfy({ !$0.isEmpty }) ? "a mapping with one of \(Wording.keys(names, "or"))" : "a mapping"
    }
}
