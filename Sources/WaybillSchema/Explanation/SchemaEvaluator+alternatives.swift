import WaybillJSON

extension SchemaEvaluator {
    /// Records why no alternative accepts an instance: the violations of the one that was meant, or what is allowed if
    /// that is unclear. Returns whether evaluation continues.
    mutating func explain(
        _ schemas: [Int],
        _ keyword: String,
        _ instance: JSON,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        guard let collector else { return false }
        let choice = program.choice(among: schemas, for: instance)
        if case .branch(let position) = choice {
            return accepts(schemas[position], instance, [keyword, String(position)], &seen)
        }
        // If it is unclear which was meant, what any of them knows is known: better to miss an unknown name than to
        // report known ones as unknown.
        if seen.isTracking {
            for schema in schemas { _ = trial(schema, instance, [keyword], &seen) }
        }
        switch choice {
        case .branch: return true
        case .wrongType(let types):
            guard !types.isEmpty else { return continues(after: [keyword], "is not allowed", .notAllowed) }
            let expected = types.types
            return continues(
                after: [keyword],
                "must be \(form(of: schemas)), but is \(Wording.found(instance, expected: expected))",
                .wrongType(
                    expected: expected,
                    found: Wording.type(of: instance),
                    booleans: [false, true].filter { value in schemas.contains { accepts($0, boolean: value) } }
                )
            )
        case .notListed(let allowed):
            return continues(
                after: [keyword],
                "must be \(form(of: schemas))",
                .notAllowedValue(allowed: allowed),
                suggestion: collector.suggestion(for: instance.string, among: allowed.compactMap(\.string))
            )
        case .wrongValue(let name, let allowed):
            let found = instance.object?[name]?.string
            return continues(
                after: [keyword],
                Wording.mustBe(allowed),
                .notAllowedValue(allowed: allowed),
                at: .name(name),
                suggestion: collector.suggestion(for: found, among: allowed.compactMap(\.string))
            )
        case .missingValue(let name, let allowed):
            let values = Wording.list(allowed.prefix(12).map(Wording.value))
            return continues(after: [keyword], "is missing the key '\(name)' (\(values))", .missingName([name]))
        case .missingName(let names):
            let message =
                names.count == 1 ? "is missing the key '\(names[0])'" : "must have one of \(Wording.keys(names, "or"))"
            return continues(after: [keyword], message, .missingName(names))
        case .unknownNames(let names, let known):
            for name in names where !continues(afterUnknown: name, known: known, keyword) { return false }
            return true
        case .conflict(let names):
            return continues(afterConflict: names, keyword)
        case .undecided(let positions):
            return explainNearest(positions, of: schemas, keyword, instance, &seen)
        }
    }

    /// Records why several alternatives of `oneOf` do not accept an instance together.
    mutating func explainAmbiguity(_ schemas: [Int], _ instance: JSON) -> Bool {
        guard collector != nil else { return false }
        let holding = schemas.filter { tries($0, instance) }
        let distinctive = BranchTraits.distinctiveNames(of: holding.map { BranchTraits(of: $0, in: program) })
        let names = distinctive.compactMap(\.first).firstOccurrences
        if names.count > 1, distinctive.allSatisfy({ !$0.isEmpty }) { return continues(afterConflict: names, "oneOf") }
        return continues(after: ["oneOf"], "must match only one of the allowed forms, but matches several")
    }

    /// Records an instance that `not` rejects.
    mutating func explainRejection(by schema: Int, _ instance: JSON) -> Bool {
        guard collector != nil else { return false }
        let forbidden = node(schema)
        let names = forbidden.rules.object.required
        if !names.isEmpty, instance.kind == .object, forbidden.rules.constant == nil, forbidden.rules.enumeration == nil
        {
            let message =
                names.count == 1
                ? "must not have the key '\(names[0])'" : "must not have \(Wording.keys(names)) together"
            return continues(after: ["not"], message, .conflictingNames(names))
        }
        let message =
            if forbidden.acceptsEverything {
                "is not allowed"
            } else if let values = forbidden.rules.constant ?? forbidden.rules.enumeration {
                "must not be \(Wording.list(values.list.map(Wording.value)))"
            } else if let pattern = forbidden.rules.string?.pattern {
                "must not match the pattern '\(pattern.source)'"
            } else if forbidden.rules.types != .everything {
                "must not be \(Wording.list(forbidden.rules.types.types.map(\.words)))"
            } else {
                "has a form that is not allowed here"
            }
        return continues(after: ["not"], message, .notAllowed)
    }

    private func form(of schemas: [Int]) -> String {
        program.phrase(for: schemas) ?? "one of the allowed forms"
    }

    /// Whether a node accepts a boolean instead of the instance.
    private func accepts(_ schema: Int, boolean: Bool) -> Bool {
        var evaluator = SchemaEvaluator(program, .bool(boolean))
        evaluator.scope = scope
        return evaluator.accepts(schema, .bool(boolean))
    }

    /// Returns the violations of an alternative without recording them.
    private mutating func trial(
        _ schema: Int,
        _ instance: JSON,
        _ path: [String],
        _ seen: inout EvaluatedLocations
    ) -> [SchemaViolation] {
        guard let collector else { return [] }
        return collector.trial { _ = accepts(schema, instance, path, &seen) }
    }

    /// Records the violations of the nearest alternative: the one with the fewest violations at its own level, then the
    /// fewest nested ones. If several are equally near, reports their requirements together.
    private mutating func explainNearest(
        _ positions: [Int],
        of schemas: [Int],
        _ keyword: String,
        _ instance: JSON,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        guard let collector else { return false }
        let fallback = "must be \(form(of: positions.map { schemas[$0] }))"
        guard !collector.isTrial else { return continues(after: [keyword], fallback) }
        let location = JSONPointer(collector.position.instancePath)
        let depth = location.tokens.count
        var best: [(position: Int, found: [SchemaViolation])] = []
        var bestScore = (own: Int.max, all: Int.max)
        for position in positions.prefix(32) {
            let found = trial(schemas[position], instance, [keyword, String(position)], &seen)
            let own = found.filter { $0.instanceLocation.tokens.count == depth || $0.concernsName }.count
            let score = (own: own, all: found.count)
            if score < bestScore { (best, bestScore) = ([], score) }
            if score == bestScore { best.append((position, found)) }
        }
        let isCombinable =
            best.count > 1 && best.allSatisfy { $0.found.count == 1 && $0.found[0].instanceLocation == location }
        if isCombinable { return continues(afterAllOf: best.map { $0.found[0] }, keyword, fallback) }
        // The alternative is evaluated again, now with the alternatives inside it examined more closely.
        guard let position = best.first?.position else { return true }
        return accepts(schemas[position], instance, [keyword, String(position)], &seen)
    }

    /// Records violations of several alternatives at the same value as one message.
    private func continues(afterAllOf faults: [SchemaViolation], _ keyword: String, _ fallback: String) -> Bool {
        var allowed: [JSON] = []
        var demands: [String] = []
        for fault in faults {
            if case .notAllowedValue(let values) = fault.detail { allowed += values.filter { !allowed.contains($0) } }
            if fault.message.hasPrefix("must be ") {
                let demand = String(fault.message.dropFirst("must be ".count).prefix { $0 != "," })
                if !demands.contains(demand) { demands.append(demand) }
            }
        }
        var (message, detail) = (fallback, SchemaViolation.Detail.other)
        if faults.allSatisfy({ if case .notAllowedValue = $0.detail { true } else { false } }) {
            (message, detail) = (Wording.mustBe(allowed), .notAllowedValue(allowed: allowed))
        } else if faults.allSatisfy({ $0.message.hasPrefix("must be ") && !$0.message.contains("'") }) {
            message = "must be \(Wording.list(demands))"
        } else {
            var messages: [String] = []
            for fault in faults where !messages.contains(fault.message) { messages.append(fault.message) }
            if messages.count <= 4 { message = Wording.list(messages) }
        }
        return continues(after: [keyword], message, detail, suggestion: faults.lazy.compactMap(\.suggestion).first)
    }

    private func continues(afterConflict names: [String], _ keyword: String) -> Bool {
        continues(after: [keyword], "can have only one of \(Wording.keys(names))", .conflictingNames(names))
    }
}
