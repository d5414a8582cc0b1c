import WaybillJSON

extension SchemaEvaluator {
    /// Whether the subschemas that apply to the instance itself accept it.
    mutating func accepts(_ applicator: Applicator, _ instance: JSON, _ seen: inout EvaluatedLocations) -> Bool {
        switch applicator {
        case .reference(let target):
            return accepts(target, instance, ["$ref"], &seen)
        case .dynamicReference(let anchor, let initially):
            let target = program.target(ofDynamicAnchor: anchor, initially: initially, scope: scope)
            return accepts(target, instance, ["$dynamicRef"], &seen)
        case .allOf(let schemas):
            for (position, schema) in schemas.enumerated() {
                guard accepts(schema, instance, ["allOf", String(position)], &seen) else { return false }
            }
            return true
        case .anyOf(let schemas):
            return acceptedCount(schemas, instance, &seen, limit: 1) > 0 || explain(schemas, "anyOf", instance, &seen)
        case .oneOf(let schemas):
            return switch acceptedCount(schemas, instance, &seen, limit: 2) {
            case 0: explain(schemas, "oneOf", instance, &seen)
            case 1: true
            default: explainAmbiguity(schemas, instance)
            }
        case .not(let schema):
            return !tries(schema, instance) || explainRejection(by: schema, instance)
        case .conditional(let condition, let then, let otherwise):
            if tries(condition, instance, &seen) { return then.map { accepts($0, instance, ["then"], &seen) } ?? true }
            return otherwise.map { accepts($0, instance, ["else"], &seen) } ?? true
        }
    }

    /// Whether a node accepts an instance as one of several alternatives, without recording violations. Only if so
    /// are its evaluated locations recorded.
    mutating func tries(_ schema: Int, _ instance: JSON, _ seen: inout EvaluatedLocations) -> Bool {
        let paused = collector
        collector = nil
        layers += 1
        defer {
            layers -= 1
            collector = paused
        }
        guard seen.isTracking else { return accepts(schema, instance) }
        var own = EvaluatedLocations(tracking: true, naming: seen.known != nil)
        guard accepts(schema, instance, &own) else { return false }
        seen.formUnion(own)
        return true
    }

    /// Whether a node accepts an instance as one of several alternatives, without recording what it evaluated.
    mutating func tries(_ schema: Int, _ instance: JSON) -> Bool {
        var seen = EvaluatedLocations()
        return tries(schema, instance, &seen)
    }

    /// Returns how many alternatives accept an instance. It may stop at a limit if nothing is recorded.
    private mutating func acceptedCount(
        _ schemas: [Int],
        _ instance: JSON,
        _ seen: inout EvaluatedLocations,
        limit: Int
    ) -> Int {
        var count = 0
        for schema in schemas where tries(schema, instance, &seen) {
            count += 1
            // The evaluated locations of all branches that hold count.
            if count == limit, !seen.isTracking { break }
        }
        return count
    }
}
