import WaybillJSON

extension SchemaEvaluator {
    /// Whether an array satisfies its rules.
    mutating func accepts(
        _ rules: Rules<ArrayRules>,
        _ elements: Instances.Elements,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        let count = instances.count(of: elements)
        guard acceptsCount(count, of: "element", "Items", rules.all.minItems, rules.all.maxItems) else { return false }
        let prefix = min(rules.all.prefix.count, count)
        for position in 0..<prefix {
            let schema = rules.all.prefix[position]
            guard acceptsElement(schema, at: position, of: elements, ["prefixItems", String(position)]) else {
                return false
            }
        }
        seen.insert(0..<prefix)
        if let items = rules.all.items, count > prefix {
            for position in prefix..<count {
                guard mayContinue(), acceptsElement(items, at: position, of: elements, ["items"], after: prefix) else {
                    return false
                }
            }
            seen.insert(prefix..<count)
        }
        guard acceptsContained(rules, elements, &seen) else { return false }
        guard rules.all.uniqueItems, count > 1 else { return true }
        guard let (earlier, later) = firstDuplicate(among: elements) else { return !isExhausted }
        return continues(
            after: ["uniqueItems"],
            "is equal to element \(earlier + 1), but the elements must be unique",
            at: .index(later)
        )
    }

    private mutating func acceptsContained(
        _ rules: Rules<ArrayRules>,
        _ elements: Instances.Elements,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        guard let contains = rules.all.contains else { return true }
        let (least, most) = (rules.all.minContains, rules.all.maxContains ?? .max)
        let found = count(rules.all, elements, &seen)
        guard found < least || found > most else { return true }
        guard collector != nil else { return false }
        let what = program.phrase(for: [contains]).map { " that is \($0)" } ?? " of the required form"
        let isMinimum = found < least
        let count = Wording.count(isMinimum ? least : most, "element")
        return continues(
            after: [isMinimum ? least == 1 ? "contains" : "minContains" : "maxContains"],
            "must have at \(isMinimum ? "least" : "most") \(count)\(what)" + (found > 0 ? ", but has \(found)" : "")
        )
    }

    /// Returns the number of elements that the schema of `contains` accepts.
    mutating func count(_ rules: ArrayRules, _ elements: Instances.Elements, _ seen: inout EvaluatedLocations) -> Int {
        guard let contains = rules.contains else { return 0 }
        var found = 0
        for position in 0..<instances.count(of: elements) {
            guard mayContinue() else { return found }
            guard tries(contains, instances.element(at: position, of: elements)) else { continue }
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
        guard acceptsNames(rules, members) else { return false }
        if seen.known != nil { seen.insert(names: rules.all.propertyList) }
        if rules.all.looksAtMembers, !acceptsMembers(rules, members, &seen) { return false }
        for (name, needs, keyword) in rules.all.dependentRequired where instances.hasMember(name, in: members) {
            for need in needs where !instances.hasMember(need, in: members) {
                let isContinued = continues(
                    after: [keyword, name],
                    "is missing the key '\(need)', which '\(name)' requires",
                    .missingName([need])
                )
                guard isContinued else { return false }
            }
        }
        for (name, schema, keyword) in rules.all.dependentSchemas where instances.hasMember(name, in: members) {
            if collector != nil, node(schema).refusesEverything {
                let message = "the key '\(name)' is not allowed"
                guard continues(after: [keyword, name], message, .notAllowed, at: .name(name), concernsName: true)
                else {
                    return false
                }
            } else if !accepts(schema, instance, [keyword, name], &seen) {
                return false
            }
        }
        return true
    }

    /// Whether the number of members is allowed, and required names are present, as far as `acceptsMembers` does not
    /// count them.
    private mutating func acceptsNames(_ rules: Rules<ObjectRules>, _ members: Instances.Members) -> Bool {
        if !rules.all.looksAtMembers || collector != nil {
            for (index, name) in rules.all.names.names.enumerated()
            where rules.all.members[index].isRequired && !instances.hasMember(name, in: members) {
                guard continues(after: ["required"], "is missing the key '\(name)'", .missingName([name])) else {
                    return false
                }
            }
        }
        let (least, most) = (rules.all.minProperties, rules.all.maxProperties)
        guard acceptsCount(instances.count(of: members), of: "key", "Properties", least, most) else { return false }
        return layers == 0 || acceptsAtGlance(rules, members)
    }

    private mutating func acceptsMembers(
        _ rules: Rules<ObjectRules>,
        _ members: Instances.Members,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        var requiredFound = 0
        for position in 0..<instances.count(of: members) {
            guard mayContinue() else { return false }
            if let propertyNames = rules.all.propertyNames {
                guard acceptsName(propertyNames, at: position, of: members) else { return false }
            }
            var isKnown = false
            if let index = instances.index(ofNameAt: position, of: members, in: rules.all.names) {
                let member = rules.all.members[index]
                if member.isRequired { requiredFound += 1 }
                if let schema = member.schema {
                    isKnown = true
                    guard
                        acceptsMember(schema, at: position, of: members, ["properties", rules.all.names.names[index]])
                    else { return false }
                }
            }
            if !rules.all.patterns.isEmpty {
                let name = instances.name(at: position, of: members)
                for (pattern, schema) in rules.all.patterns where matches(pattern, name) {
                    isKnown = true
                    guard acceptsMember(schema, at: position, of: members, ["patternProperties", pattern.source])
                    else { return false }
                }
            }
            if !isKnown, let additional = rules.all.additional {
                isKnown = true
                let isAccepted = acceptsMember(
                    additional,
                    at: position,
                    of: members,
                    ["additionalProperties"],
                    known: rules.all.propertyList
                )
                guard isAccepted else { return false }
            }
            if isKnown { seen.insert(position) }
        }
        return requiredFound == rules.all.requiredCount || collector != nil
    }

    private mutating func matches(_ pattern: RegularExpression, _ name: Value) -> Bool {
        // The matcher itself asks only during a long match.
        guard mayContinue(before: 1024) else { return false }
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
            guard mayContinue() else { return false }
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
