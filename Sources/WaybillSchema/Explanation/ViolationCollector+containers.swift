import WaybillJSON

extension ViolationCollector {
    /// Collects the violations of an array's own rules.
    mutating func collectArray(_ node: SchemaNode, _ elements: [JSON], _ reference: JSONObject?) {
        guard let rules = node.array else { return }
        if let least = rules.minItems, elements.count < least {
            let message =
                elements.isEmpty
                ? "must not be empty" + (least > 1 ? ", but have at least \(Wording.count(least, "element"))" : "")
                : "must have at least \(Wording.count(least, "element")), but has \(elements.count)"
            report(node, ["minItems"], message, .other, reference)
        }
        if let most = rules.maxItems, elements.count > most {
            let message = "must have at most \(Wording.count(most, "element")), but has \(elements.count)"
            report(node, ["maxItems"], message, .other, reference)
        }
        for (position, element) in elements.enumerated() {
            if position < rules.prefix.count {
                let path = ["prefixItems", String(position)]
                apply(rules.prefix[position], element, path, of: node, at: .index(position))
            } else if let items = rules.items {
                if program.node(items).refusesEverything {
                    let most = "the list can have at most \(Wording.count(rules.prefix.count, "element"))"
                    report(node, ["items"], "is not allowed: \(most)", .notAllowed, reference, at: .index(position))
                } else {
                    apply(items, element, ["items"], of: node, at: .index(position))
                }
            }
        }
        collectContained(node, rules, elements, reference)
        if rules.uniqueItems, let (earlier, later) = ArrayRules.firstDuplicate(among: elements) {
            let message = "is equal to element \(earlier + 1), but the elements must be unique"
            report(node, ["uniqueItems"], message, .other, reference, at: .index(later))
        }
    }

    private mutating func collectContained(
        _ node: SchemaNode,
        _ rules: ArrayRules,
        _ elements: [JSON],
        _ reference: JSONObject?
    ) {
        guard let contains = rules.contains else { return }
        var seen = EvaluatedLocations(tracking: true)
        let found = evaluator.count(rules, elements, &seen)
        let what = phrase(for: [contains]).map { " that is \($0)" } ?? " of the required form"
        if found < rules.minContains {
            let keyword = rules.minContains == 1 ? "contains" : "minContains"
            let count = Wording.count(rules.minContains, "element")
            let message = "must have at least \(count)\(what)" + (found > 0 ? ", but has \(found)" : "")
            report(node, [keyword], message, .other, reference)
        }
        if let most = rules.maxContains, found > most {
            let count = Wording.count(most, "element")
            report(
                node,
                ["maxContains"],
                "must have at most \(count)\(what), but has \(found)",
                .other,
                reference
            )
        }
    }

    /// Collects the violations of an object's own rules.
    mutating func collectObject(
        _ node: SchemaNode,
        _ members: JSONObject,
        _ instance: JSON,
        _ reference: JSONObject?
    ) {
        guard let rules = node.object else { return }
        for name in rules.requiredList where members[name] == nil {
            report(node, ["required"], "is missing the key '\(name)'", .missingName([name]), reference)
        }
        if let least = rules.minProperties, members.count < least {
            let message =
                members.isEmpty && least == 1
                ? "must not be empty"
                : "must have at least \(Wording.count(least, "key")), but has \(members.count)"
            report(node, ["minProperties"], message, .other, reference)
        }
        if let most = rules.maxProperties, members.count > most {
            let message = "must have at most \(Wording.count(most, "key")), but has \(members.count)"
            report(node, ["maxProperties"], message, .other, reference)
        }
        let rest = instancePath.isEmpty ? members.dropFirst(acceptedMembers) : members[...]
        for (name, value) in rest { collectMember(node, rules, name, value, reference) }
        for (name, needs, keyword) in rules.dependentRequired where members[name] != nil {
            for need in needs where members[need] == nil {
                let message = "is missing the key '\(need)', which '\(name)' requires"
                report(node, [keyword, name], message, .missingName([need]), reference)
            }
        }
        for (name, schema, keyword) in rules.dependentSchemas where members[name] != nil {
            if program.node(schema).refusesEverything {
                report(
                    node,
                    [keyword, name],
                    "the key '\(name)' is not allowed",
                    .notAllowed,
                    reference,
                    at: .name(name),
                    concernsName: true
                )
            } else {
                apply(schema, instance, [keyword, name], of: node, reference: reference)
            }
        }
    }

    private mutating func collectMember(
        _ node: SchemaNode,
        _ rules: ObjectRules,
        _ name: String,
        _ value: JSON,
        _ reference: JSONObject?
    ) {
        if let propertyNames = rules.propertyNames { applyToName(propertyNames, name, of: node) }
        var isKnown = false
        if let index = rules.names.index(of: name), let schema = rules.members[index].schema {
            isKnown = true
            apply(schema, value, ["properties", name], of: node, at: .name(name))
        }
        for (pattern, schema) in rules.patterns where pattern.occurs(in: name, steps: &evaluator.patternSteps) {
            isKnown = true
            apply(schema, value, ["patternProperties", pattern.source], of: node, at: .name(name))
        }
        guard !isKnown, let additional = rules.additional else { return }
        if program.node(additional).refusesEverything {
            reportUnknown(name, known: rules.propertyList, node, "additionalProperties", reference)
        } else {
            apply(additional, value, ["additionalProperties"], of: node, at: .name(name))
        }
    }

    /// Reports the unknown name of a member.
    mutating func reportUnknown(
        _ name: String,
        known: [String],
        _ node: SchemaNode,
        _ keyword: String,
        _ reference: JSONObject?
    ) {
        let message = "'\(name)' is not a known key"
        let suggestion = suggestion(for: name, among: known)
        report(
            node,
            [keyword],
            message,
            .unknownName(name, known: known),
            reference,
            at: .name(name),
            concernsName: true,
            suggestion: suggestion
        )
    }
}
