import WaybillJSON

extension SchemaEvaluator {
    /// Whether an array satisfies its rules.
    mutating func accepts(
        _ rules: Rules<ArrayRules>,
        _ elements: Instances.Elements,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        let count = instances.count(of: elements)
        guard rules.all.acceptsCount(count) else { return false }
        let prefix = min(rules.all.prefix.count, count)
        for position in 0..<prefix {
            let element = instances.element(at: position, of: elements)
            guard accepts(rules.all.prefix[position], element) else { return false }
        }
        seen.insert(0..<prefix)
        if let items = rules.all.items, count > prefix {
            for position in prefix..<count {
                guard accepts(items, instances.element(at: position, of: elements)) else { return false }
            }
            seen.insert(prefix..<count)
        }
        if rules.all.contains != nil {
            let found = self.count(rules.all, elements, &seen)
            if found < rules.all.minContains || found > rules.all.maxContains ?? .max { return false }
        }
        guard rules.all.uniqueItems, count > 1 else { return true }
        return ArrayRules.firstDuplicate(
            among: (0..<count).map { instances.json(instances.element(at: $0, of: elements)) }
        ) == nil
    }

    /// Returns the number of elements that the schema of `contains` accepts.
    mutating func count(_ rules: ArrayRules, _ elements: Instances.Elements, _ seen: inout EvaluatedLocations) -> Int {
        guard let contains = rules.contains else { return 0 }
        var found = 0
        for position in 0..<instances.count(of: elements)
        where tries(contains, instances.element(at: position, of: elements)) {
            found += 1
            seen.insert(position)
            if !seen.isTracking, rules.maxContains == nil, found >= rules.minContains { break }
        }
        return found
    }

    /// Whether an object satisfies its rules.
    mutating func accepts(
        _ rules: Rules<ObjectRules>,
        _ members: Instances.Members,
        _ instance: Value,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        guard rules.all.acceptsCount(instances.count(of: members)) else { return false }
        if layers > 0, !acceptsAtGlance(rules, members) { return false }
        if rules.all.looksAtMembers {
            guard acceptsMembers(rules, members, &seen) else { return false }
        } else {
            for name in rules.all.names.names where !instances.hasMember(name, in: members) { return false }
        }
        for (name, needs, _) in rules.all.dependentRequired where instances.hasMember(name, in: members) {
            for need in needs where !instances.hasMember(need, in: members) { return false }
        }
        for (name, schema, _) in rules.all.dependentSchemas where instances.hasMember(name, in: members) {
            if !accepts(schema, instance, &seen) { return false }
        }
        return true
    }

    private mutating func acceptsMembers(
        _ rules: Rules<ObjectRules>,
        _ members: Instances.Members,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        var requiredFound = 0
        for position in 0..<instances.count(of: members) {
            if let propertyNames = rules.all.propertyNames {
                guard accepts(propertyNames, instances.name(at: position, of: members)) else { return false }
            }
            var isKnown = false
            if let index = instances.index(ofNameAt: position, of: members, in: rules.all.names) {
                let member = rules.all.members[index]
                if member.isRequired { requiredFound += 1 }
                if let schema = member.schema {
                    isKnown = true
                    if !accepts(schema, instances.value(at: position, of: members)) { return false }
                }
            }
            if !rules.all.patterns.isEmpty {
                let name = instances.name(at: position, of: members)
                for (pattern, schema) in rules.all.patterns where matches(pattern, name) {
                    isKnown = true
                    if !accepts(schema, instances.value(at: position, of: members)) { return false }
                }
            }
            if !isKnown, let additional = rules.all.additional {
                isKnown = true
                if !accepts(additional, instances.value(at: position, of: members)) { return false }
            }
            if isKnown { seen.insert(position) }
            // Only the schema's first node evaluates the instance at this depth.
            if depth == 1 { acceptedMembers = position + 1 }
        }
        return requiredFound == rules.all.requiredCount
    }

    private mutating func matches(_ pattern: RegularExpression, _ name: Value) -> Bool {
        var steps = patternSteps
        defer { patternSteps = steps }
        return instances.withText(of: name) { pattern.occurs(in: $0, steps: &steps) }
    }

    /// Whether the names are valid and the members' own types and values, without evaluating nested values.
    ///
    /// For alternatives, this excludes most of those that were not meant, before any time is spent on nested values.
    private mutating func acceptsAtGlance(_ rules: Rules<ObjectRules>, _ members: Instances.Members) -> Bool {
        guard rules.all.looksAtMembers else { return true }
        let isClosed =
            rules.all.patterns.isEmpty && rules.all.additional.map { node($0).refusesEverything } ?? false
        var requiredFound = 0
        for position in 0..<instances.count(of: members) {
            guard let index = instances.index(ofNameAt: position, of: members, in: rules.all.names) else {
                if isClosed { return false }
                continue
            }
            let member = rules.all.members[index]
            if member.isRequired { requiredFound += 1 }
            if let schema = member.schema {
                let node = node(schema)
                let value = instances.value(at: position, of: members)
                if node.refusesEverything || !acceptsKind(node, instances.kind(of: value), value) { return false }
            }
        }
        return requiredFound == rules.all.requiredCount
    }
}
