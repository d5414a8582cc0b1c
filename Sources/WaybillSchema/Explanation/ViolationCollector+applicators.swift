import WaybillJSON

extension ViolationCollector {
    /// Collects the violations of a keyword that applies subschemas to the instance itself.
    mutating func collectApplicator(
        _ applicator: Applicator,
        _ node: SchemaNode,
        _ instance: JSON,
        _ reference: JSONObject?
    ) {
        switch applicator {
        case .reference(let target):
            apply(target, instance, ["$ref"], of: node, reference: joined(node.annotation, reference))
        case .dynamicReference(let anchor, let initially):
            let scope = evaluator.scope
            let target = program.target(ofDynamicAnchor: anchor, initially: initially, scope: scope)
            apply(target, instance, ["$dynamicRef"], of: node, reference: joined(node.annotation, reference))
        case .allOf(let schemas):
            for (position, schema) in schemas.enumerated() {
                apply(schema, instance, ["allOf", String(position)], of: node, reference: reference)
            }
        case .anyOf(let schemas):
            collectAlternatives(schemas, "anyOf", node, instance, reference)
        case .oneOf(let schemas, _):
            collectAlternatives(schemas, "oneOf", node, instance, reference)
        case .not(let schema):
            guard evaluator.tries(schema, instance) else { return }
            collectForbidden(schema, node, instance, reference)
        case .conditional(let condition, let then, let otherwise):
            if evaluator.tries(condition, instance) {
                if let then { apply(then, instance, ["then"], of: node, reference: reference) }
            } else if let otherwise {
                apply(otherwise, instance, ["else"], of: node, reference: reference)
            }
        }
    }

    /// Reports an instance that `not` rejects.
    private mutating func collectForbidden(
        _ schema: Int,
        _ node: SchemaNode,
        _ instance: JSON,
        _ reference: JSONObject?
    ) {
        let forbidden = program.node(schema)
        if forbidden.acceptsEverything {
            return report(node, ["not"], "is not allowed", .notAllowed, reference)
        }
        if let values = forbidden.constant ?? forbidden.enumeration {
            let message = "must not be \(Wording.list(values.list.map(Wording.value)))"
            return report(node, ["not"], message, .notAllowed, reference)
        }
        if let names = forbidden.object?.requiredList, !names.isEmpty, instance.kind == .object {
            let message =
                names.count == 1
                ? "must not have the key '\(names[0])'"
                : "must not have \(Wording.keys(names)) together"
            return report(node, ["not"], message, .conflictingNames(names), reference)
        }
        if let pattern = forbidden.string?.pattern {
            return report(node, ["not"], "must not match the pattern '\(pattern.source)'", .notAllowed, reference)
        }
        if forbidden.types != .everything {
            let words = Wording.list(forbidden.types.types.map(\.words))
            return report(node, ["not"], "must not be \(words)", .notAllowed, reference)
        }
        report(node, ["not"], "has a form that is not allowed here", .notAllowed, reference)
    }

    /// Collects the violations of `unevaluatedItems` and `unevaluatedProperties`. What a failed subschema knows is
    /// treated as evaluated: its violation has been reported, and otherwise all its names would be reported as unknown
    /// too.
    mutating func collectUnevaluated(_ node: SchemaNode, _ instance: JSON, _ reference: JSONObject?) {
        guard node.unevaluatedItems != nil || node.unevaluatedProperties != nil else { return }
        var survey = EvaluationSurvey()
        extend(&survey, by: node, instance)
        switch instance {
        case .array(let elements):
            guard let schema = node.unevaluatedItems else { return }
            for (position, element) in elements.enumerated() where !survey.seen.contains(position) {
                apply(schema, element, ["unevaluatedItems"], of: node, at: .index(position), reference: reference)
            }
        case .object(let members):
            guard let schema = node.unevaluatedProperties else { return }
            for (position, member) in members.enumerated() where !survey.seen.contains(position) {
                if program.node(schema).refusesEverything {
                    reportUnknown(member.name, known: survey.known, node, "unevaluatedProperties", reference)
                } else {
                    apply(schema, member.value, ["unevaluatedProperties"], of: node, at: .name(member.name))
                }
            }
        default:
            break
        }
    }

    private func joined(_ own: JSONObject?, _ outer: JSONObject?) -> JSONObject? {
        guard var result = own else { return outer }
        for (name, value) in outer ?? JSONObject() { result[name] = value }
        return result
    }
}
