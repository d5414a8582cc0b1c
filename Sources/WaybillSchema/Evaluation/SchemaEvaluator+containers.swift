import OrderedCollections
import WaybillJSON

extension SchemaEvaluator {
    /// Whether an array satisfies its rules.
    mutating func accepts(_ rules: ArrayRules, _ elements: [JSON], _ seen: inout EvaluatedLocations) -> Bool {
        let count = elements.count
        guard acceptsCount(count, of: "element", "Items", rules.minItems, rules.maxItems) else { return false }
        let prefix = min(rules.prefix.count, count)
        for (position, schema) in rules.prefix.prefix(count).enumerated() {
            guard acceptsElement(schema, elements[position], at: position, ["prefixItems", String(position)]) else {
                return false
            }
        }
        seen.insert(0..<prefix)
        if let items = rules.items, count > prefix {
            for position in prefix..<count {
                guard mayContinue(), acceptsElement(items, elements[position], at: position, ["items"], after: prefix)
                else {
                    return false
                }
            }
            seen.insert(prefix..<count)
        }
        guard acceptsContained(rules, elements, &seen) else { return false }
        guard rules.uniqueItems, elements.count > 1 else { return true }
        guard let (earlier, later) = firstDuplicate(among: elements) else { return !isExhausted }
        return continues(
            after: ["uniqueItems"],
            "is equal to element \(earlier + 1), but the elements must be unique",
            at: .index(later)
        )
    }

    private mutating func acceptsContained(
        _ rules: ArrayRules,
        _ elements: [JSON],
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        guard let contains = rules.contains else { return true }
        let (least, most) = (rules.minContains, rules.maxContains ?? .max)
        var found = 0
        for (position, element) in elements.enumerated() {
            guard mayContinue() else { return false }
            guard tries(contains, element) else { continue }
            found += 1
            seen.insert(position)
            if !seen.isTracking, rules.maxContains == nil, found >= least { break }
        }
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

    /// Whether an object satisfies its rules.
    mutating func accepts(
        _ members: JSONObject,
        of node: SchemaNode,
        _ instance: JSON,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        for name in node.rules.object.required where members.index(of: name) == nil {
            guard continues(after: ["required"], "is missing the key '\(name)'", .missingName([name])) else {
                return false
            }
        }
        let (least, most) = (node.rules.object.minProperties, node.rules.object.maxProperties)
        guard acceptsCount(members.count, of: "key", "Properties", least, most),
            layers == 0 || acceptsAtGlance(members, of: node)
        else { return false }
        if seen.known != nil { seen.insert(names: node.rules.object.propertyList) }
        guard acceptsMembers(members, of: node, &seen) else { return false }
        for (name, needs, keyword) in node.rules.object.dependentRequired where members.index(of: name) != nil {
            for need in needs where members.index(of: need) == nil {
                let isContinued = continues(
                    after: [keyword, name],
                    "is missing the key '\(need)', which '\(name)' requires",
                    .missingName([need])
                )
                guard isContinued else { return false }
            }
        }
        for (name, schema, keyword) in node.rules.object.dependentSchemas where members.index(of: name) != nil {
            if collector != nil, self.node(schema).rules.refusesEverything {
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

    private mutating func acceptsMembers(
        _ members: JSONObject,
        of node: SchemaNode,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        for position in members.indices {
            guard mayContinue() else { return false }
            let (name, value) = members[position]
            if let propertyNames = node.rules.object.propertyNames, !acceptsName(propertyNames, name) { return false }
            var isKnown = false
            if let schema = node.rules.object.properties[CodePoints(name)] {
                isKnown = true
                guard acceptsMember(schema, value, named: name, ["properties", name]) else { return false }
            }
            for (pattern, schema) in node.rules.object.patterns {
                // The matcher itself asks only during a long match.
                guard mayContinue(before: 1024) else { return false }
                guard pattern.occurs(in: name, steps: &patternSteps) else { continue }
                isKnown = true
                guard acceptsMember(schema, value, named: name, ["patternProperties", pattern.source]) else {
                    return false
                }
            }
            if !isKnown, let additional = node.rules.object.additional {
                isKnown = true
                let isAccepted = acceptsMember(
                    additional,
                    value,
                    named: name,
                    ["additionalProperties"],
                    known: node.rules.object.propertyList
                )
                guard isAccepted else { return false }
            }
            if isKnown { seen.insert(position) }
        }
        return true
    }

    /// Whether the names are valid and the members' own types and values, without evaluating nested values.
    ///
    /// For alternatives, this excludes most of those that were not meant, before any time is spent on nested values.
    private mutating func acceptsAtGlance(_ members: JSONObject, of node: SchemaNode) -> Bool {
        let isClosed =
            node.rules.object.patterns.isEmpty
            && node.rules.object.additional.map { self.node($0).rules.refusesEverything } ?? false
        for position in members.indices {
            guard mayContinue() else { return false }
            let (name, value) = members[position]
            if let schema = node.rules.object.properties[CodePoints(name)] {
                let member = self.node(schema)
                if member.rules.refusesEverything || !acceptsKind(member, value) { return false }
            } else if isClosed {
                return false
            }
        }
        return true
    }
}
