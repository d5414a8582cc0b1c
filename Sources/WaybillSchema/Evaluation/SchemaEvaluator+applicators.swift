import WaybillJSON

extension SchemaEvaluator {
    /// Whether the subschemas that apply to the instance itself accept it.
    mutating func accepts(_ applicator: Applicator, _ instance: Value, _ seen: inout EvaluatedLocations) -> Bool {
        switch applicator {
        case .reference(let target):
            return accepts(target, instance, &seen)
        case .dynamicReference(let anchor, let initially):
            let target = program.target(ofDynamicAnchor: anchor, initially: initially, scope: scope)
            return accepts(target, instance, &seen)
        case .allOf(let schemas):
            for schema in schemas where !accepts(schema, instance, &seen) { return false }
            return true
        case .anyOf(let schemas):
            return acceptsAny(schemas, instance, &seen)
        case .oneOf(let schemas, let names):
            if let names, instances.kind(of: instance) == .object { return hasOne(of: names, instance) }
            return acceptsOne(schemas, instance, &seen)
        case .not(let schema):
            return !tries(schema, instance)
        case .conditional(let condition, let then, let otherwise):
            let branch = tries(condition, instance, &seen) ? then : otherwise
            return branch.map { accepts($0, instance, &seen) } ?? true
        }
    }

    /// Whether a node accepts an instance as one of several alternatives: only then are its evaluated locations
    /// recorded.
    mutating func tries(_ schema: Int, _ instance: Value, _ seen: inout EvaluatedLocations) -> Bool {
        layers += 1
        defer { layers -= 1 }
        guard seen.isTracking else { return accepts(schema, instance) }
        var own = EvaluatedLocations(tracking: true)
        guard accepts(schema, instance, &own) else { return false }
        seen.formUnion(own)
        return true
    }

    /// Whether a node accepts an instance as one of several alternatives, without recording what it evaluated.
    mutating func tries(_ schema: Int, _ instance: Value) -> Bool {
        var seen = EvaluatedLocations()
        return tries(schema, instance, &seen)
    }

    private mutating func acceptsAny(_ schemas: [Int], _ instance: Value, _ seen: inout EvaluatedLocations) -> Bool {
        var isAccepted = false
        for schema in schemas where tries(schema, instance, &seen) {
            // The evaluated locations of all branches that hold count.
            if !seen.isTracking { return true }
            isAccepted = true
        }
        return isAccepted
    }

    /// Whether an object has exactly one member whose name is in a set.
    private func hasOne(of names: NameTable, _ object: Value) -> Bool {
        let members = instances.members(of: object)
        var count = 0
        for position in 0..<instances.count(of: members)
        where instances.index(ofNameAt: position, of: members, in: names) != nil {
            count += 1
        }
        return count == 1
    }

    private mutating func acceptsOne(_ schemas: [Int], _ instance: Value, _ seen: inout EvaluatedLocations) -> Bool {
        var isAccepted = false
        for schema in schemas where tries(schema, instance, &seen) {
            if isAccepted { return false }
            isAccepted = true
        }
        return isAccepted
    }
}
