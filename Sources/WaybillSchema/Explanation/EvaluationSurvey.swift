import WaybillJSON

/// What the subschemas that apply to an instance know about it, whether or not they accept it.
struct EvaluationSurvey {
    /// The members or elements that some subschema evaluates.
    var seen = EvaluatedLocations(tracking: true)
    /// The names of members that some subschema defines.
    var known: [String] = []
    fileprivate var depth = 0
}

extension ViolationCollector {
    /// Adds what a node and the subschemas that it applies to the same instance know.
    mutating func extend(_ survey: inout EvaluationSurvey, by node: SchemaNode, _ instance: JSON) {
        guard survey.depth < 100 else { return }
        survey.depth += 1
        defer { survey.depth -= 1 }
        switch instance {
        case .array(let elements): extend(&survey, by: node, elements)
        case .object(let members): extend(&survey, by: node, members, instance)
        default: return
        }
        for applicator in node.applicators {
            for schema in subschemas(of: applicator, for: instance) {
                let next = program.node(schema)
                extend(&survey, by: next, instance)
                if next.unevaluatedItems != nil || next.unevaluatedProperties != nil {
                    survey.seen.insert(0..<(instance.array?.count ?? instance.object?.count ?? 0))
                }
            }
        }
    }

    private mutating func extend(_ survey: inout EvaluationSurvey, by node: SchemaNode, _ elements: [JSON]) {
        guard let rules = node.array else { return }
        survey.seen.insert(0..<(rules.items == nil ? min(rules.prefix.count, elements.count) : elements.count))
        if rules.contains != nil { _ = evaluator.count(rules, elements, &survey.seen) }
    }

    private mutating func extend(
        _ survey: inout EvaluationSurvey,
        by node: SchemaNode,
        _ members: JSONObject,
        _ instance: JSON
    ) {
        guard let rules = node.object else { return }
        for name in rules.propertyList where !survey.known.contains(where: { $0.hasSameCodePoints(as: name) }) {
            survey.known.append(name)
        }
        for (position, member) in members.enumerated() {
            let index = rules.names.index(of: member.name)
            let isNamed = index.map { rules.members[$0].schema != nil } ?? false
            let isMatched = rules.patterns.contains {
                $0.pattern.occurs(in: member.name, steps: &evaluator.patternSteps)
            }
            if isNamed || rules.additional != nil || isMatched {
                survey.seen.insert(position)
            }
        }
        for (name, schema, _) in rules.dependentSchemas where members[name] != nil {
            extend(&survey, by: program.node(schema), instance)
        }
    }

    /// Returns the subschemas that count: those alternatives that hold, or otherwise the one that was meant.
    private mutating func subschemas(of applicator: Applicator, for instance: JSON) -> [Int] {
        switch applicator {
        case .reference(let target): return [target]
        case .dynamicReference(let anchor, let initially):
            return [program.target(ofDynamicAnchor: anchor, initially: initially, scope: evaluator.scope)]
        case .allOf(let schemas): return schemas
        case .anyOf(let schemas), .oneOf(let schemas, _):
            let holding = schemas.filter { evaluator.tries($0, instance) }
            if !holding.isEmpty { return holding }
            // If it is unclear which, all of them: better to miss an unknown name than to report known ones as unknown.
            if case .branch(let position) = choice(among: schemas, for: instance) { return [schemas[position]] }
            return schemas
        case .not: return []
        case .conditional(let condition, let then, let otherwise):
            let holds = evaluator.tries(condition, instance)
            return (holds ? [condition, then] : [otherwise]).compactMap { $0 }
        }
    }
}
