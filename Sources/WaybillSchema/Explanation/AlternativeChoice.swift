import WaybillJSON

/// What to report if none of several alternatives accepts an instance.
enum AlternativeChoice {
    /// This alternative was meant: report its violations.
    case branch(Int)
    /// The type is wrong for all alternatives.
    case wrongType(SchemaTypeSet)
    /// The value is not listed by the only alternative for its type.
    case notListed([JSON])
    /// A member that distinguishes the alternatives has a value that is not allowed.
    case wrongValue(name: String, allowed: [JSON])
    /// A member that distinguishes the alternatives is missing.
    case missingValue(name: String, allowed: [JSON])
    /// All of the names that distinguish the alternatives are missing.
    case missingName([String])
    /// Some names are not known to any alternative.
    case unknownNames([String], known: [String])
    /// Names of several alternatives are present together.
    case conflict([String])
    /// These alternatives cannot be distinguished by type and names.
    case undecided([Int])
}

extension SchemaProgram {
    /// Finds the alternative that was meant: by the instance's type, by members with fixed values, or by names.
    func choice(among schemas: [Int], for instance: JSON) -> AlternativeChoice {
        let traits = schemas.map { BranchTraits(of: $0, in: self) }
        var candidates = traits.indices.filter { traits[$0].types.accepts(instance) }
        if candidates.isEmpty {
            return .wrongType(traits.reduce(into: SchemaTypeSet([])) { $0.formUnion($1.types) })
        }
        if candidates.count == 1 {
            return traits[candidates[0]].values.map { .notListed($0) } ?? .branch(candidates[0])
        }
        guard case .object(let members) = instance else { return .undecided(candidates) }
        if let decided = decide(byValuesIn: members, &candidates, traits) { return decided }
        if candidates.count == 1 { return .branch(candidates[0]) }
        return decide(byNamesIn: members, candidates, traits)
    }

    /// Narrows the alternatives by members for which they list values, such as `type: {const: circle}`.
    private func decide(
        byValuesIn members: JSONObject,
        _ candidates: inout [Int],
        _ traits: [BranchTraits]
    ) -> AlternativeChoice? {
        for name in candidates.flatMap({ traits[$0].constants.map(\.name) }).firstOccurrences {
            func values(_ candidate: Int) -> [JSON]? { traits[candidate].constants.first { $0.name == name }?.values }
            let listing = candidates.filter { values($0) != nil }
            // A member that only one alternative lists, or that all list alike, does not distinguish them.
            guard listing.count > 1, Set(listing.compactMap(values)).count > 1 else { continue }
            let isShared = listing.count == candidates.count
            let allowed = listing.compactMap(values).flatMap { $0 }.firstOccurrences
            guard let value = members[name] else {
                guard isShared, candidates.allSatisfy({ traits[$0].required.contains(name) }) else { continue }
                return .missingValue(name: name, allowed: allowed)
            }
            let matching = candidates.filter { values($0)?.contains(value) ?? true }
            if matching.isEmpty { return .wrongValue(name: name, allowed: allowed) }
            candidates = matching
            if candidates.count == 1 { return .branch(candidates[0]) }
        }
        return nil
    }

    /// Decides by the names that one alternative requires and not all others do.
    private func decide(
        byNamesIn members: JSONObject,
        _ candidates: [Int],
        _ traits: [BranchTraits]
    ) -> AlternativeChoice {
        let distinctive = BranchTraits.distinctiveNames(of: candidates.map { traits[$0] })
        let present = distinctive.map { names in names.filter { members[$0] != nil } }
        let pointed = candidates.indices.filter { !present[$0].isEmpty }
        if pointed.count == 1 { return .branch(candidates[pointed[0]]) }
        if pointed.count > 1 {
            let best = pointed.max { present[$0].count < present[$1].count } ?? pointed[0]
            let others = pointed.filter { $0 != best }
            if others.allSatisfy({ Set(present[$0]).isStrictSubset(of: present[best]) }) {
                return .branch(candidates[best])
            }
            let exclude = pointed.allSatisfy { one in
                pointed.allSatisfy { other in
                    one == other || traits[candidates[one]].refuses(present[other], beside: present[one])
                }
            }
            let names = pointed.flatMap { present[$0] }.firstOccurrences
            return exclude ? .conflict(names) : .undecided(pointed.map { candidates[$0] })
        }
        let free = candidates.indices.filter { distinctive[$0].isEmpty }
        if free.count == 1, free.count < candidates.count { return .branch(candidates[free[0]]) }
        guard free.isEmpty else { return .undecided(free.map { candidates[$0] }) }
        let known = candidates.flatMap { traits[$0].properties }.firstOccurrences
        let unknown = members.names.filter { name in !known.contains { $0.hasSameCodePoints(as: name) } }
        if !unknown.isEmpty, candidates.allSatisfy({ traits[$0].isClosed }) {
            return .unknownNames(unknown, known: known)
        }
        return .missingName(distinctive.compactMap(\.first).firstOccurrences)
    }
}

extension BranchTraits {
    /// Whether an object of this form cannot have any of some names, apart from its own.
    fileprivate func refuses(_ names: [String], beside own: [String]) -> Bool {
        isClosed && names.contains { !own.contains($0) && !properties.contains($0) }
    }
}
