import WaybillJSON

extension ViolationCollector {
    /// Collects the violations of `anyOf` or `oneOf`: those of the alternative that was meant, or what is allowed if
    /// that is unclear.
    mutating func collectAlternatives(
        _ schemas: [Int],
        _ keyword: String,
        _ node: SchemaNode,
        _ instance: JSON,
        _ reference: JSONObject?
    ) {
        let holding = schemas.indices.filter { evaluator.tries(schemas[$0], instance) }
        if !holding.isEmpty {
            if keyword == "oneOf", holding.count > 1 {
                reportAmbiguity(holding.map { schemas[$0] }, node, instance, reference)
            }
            return
        }
        switch choice(among: schemas, for: instance) {
        case .branch(let position):
            apply(schemas[position], instance, [keyword, String(position)], of: node, reference: reference)
        case .wrongType(let types):
            let expected = types.types
            let found = Wording.found(instance, expected: expected)
            let message = expected.isEmpty ? "is not allowed" : "must be \(form(of: schemas)), but is \(found)"
            let detail = SchemaViolation.Detail.wrongType(
                expected: expected,
                found: Wording.type(of: instance),
                booleans: [false, true].filter { value in schemas.contains { evaluator.tries($0, .bool(value)) } }
            )
            report(node, [keyword], message, expected.isEmpty ? .notAllowed : detail, reference)
        case .notListed(let allowed):
            let message = "must be \(form(of: schemas))"
            let suggestion = suggestion(for: instance.string, among: allowed.compactMap(\.string))
            report(
                node,
                [keyword],
                message,
                .notAllowedValue(allowed: allowed),
                reference,
                suggestion: suggestion
            )
        case .wrongValue(let name, let allowed):
            let value = instance.object?[name]?.string
            let suggestion = suggestion(for: value, among: allowed.compactMap(\.string))
            report(
                node,
                [keyword],
                Wording.mustBe(allowed),
                .notAllowedValue(allowed: allowed),
                reference,
                at: .name(name),
                suggestion: suggestion
            )
        case .missingValue(let name, let allowed):
            let values = Wording.list(allowed.prefix(12).map(Wording.value))
            report(node, [keyword], "is missing the key '\(name)' (\(values))", .missingName([name]), reference)
        case .missingName(let names):
            let message =
                names.count == 1 ? "is missing the key '\(names[0])'" : "must have one of \(Wording.keys(names, "or"))"
            report(node, [keyword], message, .missingName(names), reference)
        case .unknownNames(let names, let known):
            for name in names { reportUnknown(name, known: known, node, keyword, reference) }
        case .conflict(let names):
            reportConflict(names, node, keyword, reference)
        case .undecided(let positions):
            collectNearest(positions, of: schemas, keyword, node, instance, reference)
        }
    }

    private func form(of schemas: [Int]) -> String {
        phrase(for: schemas) ?? "one of the allowed forms"
    }

    /// Collects the violations of the nearest alternative: the one with the fewest violations at its own level, then
    /// the fewest nested ones. If several are equally near, reports their requirements together.
    private mutating func collectNearest(
        _ positions: [Int],
        of schemas: [Int],
        _ keyword: String,
        _ node: SchemaNode,
        _ instance: JSON,
        _ reference: JSONObject?
    ) {
        let fallback = "must be \(form(of: positions.map { schemas[$0] }))"
        guard !isTrial else { return report(node, [keyword], fallback, .other, reference) }
        let depth = location.tokens.count
        var best: [(position: Int, found: [SchemaViolation])] = []
        var bestScore = (own: Int.max, all: Int.max)
        for position in positions.prefix(32) {
            let found = trial(schemas[position], instance, [keyword, String(position)], of: node)
            let own = found.filter { $0.instanceLocation.tokens.count == depth || $0.concernsName }.count
            let score = (own: own, all: found.count)
            if score < bestScore { (best, bestScore) = ([], score) }
            if score == bestScore { best.append((position, found)) }
        }
        let isCombinable =
            best.count > 1 && best.allSatisfy { $0.found.count == 1 && $0.found[0].instanceLocation == location }
        guard isCombinable else {
            // The alternative is collected again, now with the alternatives inside it examined more closely.
            guard let position = best.first?.position else { return }
            return apply(schemas[position], instance, [keyword, String(position)], of: node, reference: reference)
        }
        reportTogether(best.map { $0.found[0] }, node, keyword, fallback, reference)
    }

    /// Reports violations of several alternatives at the same value as one message.
    private mutating func reportTogether(
        _ faults: [SchemaViolation],
        _ node: SchemaNode,
        _ keyword: String,
        _ fallback: String,
        _ reference: JSONObject?
    ) {
        var allowed: [JSON] = []
        var demands: [String] = []
        for fault in faults {
            if case .notAllowedValue(let values) = fault.detail { allowed += values.filter { !allowed.contains($0) } }
            if fault.message.hasPrefix("must be ") {
                let demand = String(fault.message.dropFirst("must be ".count).prefix { $0 != "," })
                if !demands.contains(demand) { demands.append(demand) }
            }
        }
        let suggestion = faults.lazy.compactMap(\.suggestion).first
        func report(_ message: String, _ detail: SchemaViolation.Detail) {
            self.report(node, [keyword], message, detail, reference, suggestion: suggestion)
        }
        if faults.allSatisfy({ if case .notAllowedValue = $0.detail { true } else { false } }) {
            report(Wording.mustBe(allowed), .notAllowedValue(allowed: allowed))
        } else if faults.allSatisfy({ $0.message.hasPrefix("must be ") && !$0.message.contains("'") }) {
            report("must be \(Wording.list(demands))", .other)
        } else {
            var messages: [String] = []
            for fault in faults where !messages.contains(fault.message) { messages.append(fault.message) }
            let message = messages.count > 4 ? fallback : Wording.list(messages)
            report(message, faults.count == 1 ? faults[0].detail : .other)
        }
    }

    /// Reports an instance that more than one alternative of `oneOf` accepts.
    private mutating func reportAmbiguity(
        _ schemas: [Int],
        _ node: SchemaNode,
        _ instance: JSON,
        _ reference: JSONObject?
    ) {
        let telling = BranchTraits.tellingNames(of: schemas.map { BranchTraits(of: $0, in: program) })
        let names = telling.compactMap(\.first).firstOccurrences
        if names.count > 1, telling.allSatisfy({ !$0.isEmpty }) {
            reportConflict(names, node, "oneOf", reference)
        } else {
            let message = "must match only one of the allowed forms, but matches several"
            report(node, ["oneOf"], message, .other, reference)
        }
    }

    private mutating func reportConflict(
        _ names: [String],
        _ node: SchemaNode,
        _ keyword: String,
        _ reference: JSONObject?
    ) {
        let message = "can have only one of \(Wording.keys(names))"
        report(node, [keyword], message, .conflictingNames(names), reference)
    }
}
