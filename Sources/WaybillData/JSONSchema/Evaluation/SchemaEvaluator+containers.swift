extension SchemaEvaluator {
    /// Whether an array follows its rules.
    mutating func accepts(_ rules: ArrayRules, _ elements: [JSON], _ seen: inout EvaluatedPlaces) -> Bool {
        guard rules.acceptsCount(of: elements) else { return false }
        for (schema, element) in zip(rules.prefix, elements) where !accepts(schema, element) { return false }
        seen.insert(0..<min(rules.prefix.count, elements.count))
        if let items = rules.items, elements.count > rules.prefix.count {
            for element in elements[rules.prefix.count...] where !accepts(items, element) { return false }
            seen.insert(rules.prefix.count..<elements.count)
        }
        if rules.contains != nil {
            let found = count(rules, elements, &seen)
            if found < rules.minContains || found > rules.maxContains ?? .max { return false }
        }
        return !rules.uniqueItems || ArrayRules.firstDuplicate(among: elements) == nil
    }

    /// How many elements the schema of `contains` accepts.
    mutating func count(_ rules: ArrayRules, _ elements: [JSON], _ seen: inout EvaluatedPlaces) -> Int {
        guard let contains = rules.contains else { return 0 }
        var found = 0
        for (position, element) in elements.enumerated() where tries(contains, element) {
            found += 1
            seen.insert(position)
            if !seen.isTracking, rules.maxContains == nil, found >= rules.minContains { break }
        }
        return found
    }

    /// Whether an object follows its rules.
    mutating func accepts(
        _ rules: ObjectRules,
        _ members: JSONObject,
        _ instance: JSON,
        _ seen: inout EvaluatedPlaces
    ) -> Bool {
        guard rules.acceptsCount(of: members) else { return false }
        if layers > 0, !acceptsAtGlance(rules, members) { return false }
        var position = 0
        var requiredFound = 0
        for (name, value) in members {
            if let propertyNames = rules.propertyNames, !accepts(propertyNames, .string(name)) { return false }
            var isKnown = false
            if let index = rules.names.index(of: name) {
                let member = rules.members[index]
                if member.isRequired { requiredFound += 1 }
                if let schema = member.schema {
                    isKnown = true
                    if !accepts(schema, value) { return false }
                }
            }
            for (pattern, schema) in rules.patterns where pattern.matches(name) {
                isKnown = true
                if !accepts(schema, value) { return false }
            }
            if !isKnown, let additional = rules.additional {
                isKnown = true
                if !accepts(additional, value) { return false }
            }
            if isKnown { seen.insert(position) }
            position += 1
        }
        guard requiredFound == rules.requiredCount else { return false }
        for (name, needs, _) in rules.dependentRequired where members[name] != nil {
            for need in needs where members[need] == nil { return false }
        }
        for (name, schema, _) in rules.dependentSchemas where members[name] != nil {
            if !accepts(schema, instance, &seen) { return false }
        }
        return true
    }

    /// Whether the names are right and the members' own types and values, without looking into them.
    ///
    /// Among alternatives this tells most of those apart that were not meant, before any time goes into their depths.
    private func acceptsAtGlance(_ rules: ObjectRules, _ members: JSONObject) -> Bool {
        let isClosed = rules.patterns.isEmpty && rules.additional.map { program.nodes[$0].refusesEverything } ?? false
        var requiredFound = 0
        for (name, value) in members {
            guard let index = rules.names.index(of: name) else {
                if isClosed { return false }
                continue
            }
            let member = rules.members[index]
            if member.isRequired { requiredFound += 1 }
            if let schema = member.schema {
                let node = program.nodes[schema]
                if node.refusesEverything || !acceptsKind(node, value) { return false }
            }
        }
        return requiredFound == rules.requiredCount
    }
}
