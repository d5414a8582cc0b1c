import WaybillJSON

extension SchemaEvaluator {
    /// Whether a value has an allowed type and is among the values that a node allows. If not, the other keywords would
    /// only repeat that.
    func acceptsKind(_ node: SchemaNode, _ instance: JSON) -> Bool {
        guard node.rules.types.accepts(instance) else {
            if collector != nil { reportType(node, instance) }
            return false
        }
        return accepts(node.rules.constant, "const", instance) && accepts(node.rules.enumeration, "enum", instance)
    }

    private func accepts(_ values: AllowedValues?, _ keyword: String, _ instance: JSON) -> Bool {
        guard let values, !values.contains(instance) else { return true }
        if let collector {
            _ = continues(
                after: [keyword],
                Wording.mustBe(values.list),
                .notAllowedValue(allowed: values.list),
                suggestion: collector.suggestion(for: instance.string, among: values.list.compactMap(\.string))
            )
        }
        return false
    }

    private func reportType(_ node: SchemaNode, _ instance: JSON) {
        let types = node.rules.types.types
        let words = types.flatMap { type in
            type == .object
                ? [Wording.mapping(with: node.rules.object.required)]
                : Wording.words(type, isAlone: types.count == 1)
        }
        _ = continues(
            after: ["type"],
            "must be \(Wording.list(words)), but is \(Wording.found(instance, expected: types))",
            .wrongType(
                expected: types,
                found: Wording.type(of: instance),
                booleans: types.contains(.boolean) ? [false, true] : []
            )
        )
    }

    /// Whether a number satisfies its rules.
    func accepts(_ rules: NumberRules, _ number: JSONNumber) -> Bool {
        accepts(number, "minimum", rules.minimum, "at least", >=)
            && accepts(number, "maximum", rules.maximum, "at most", <=)
            && accepts(number, "exclusiveMinimum", rules.exclusiveMinimum, "greater than", >)
            && accepts(number, "exclusiveMaximum", rules.exclusiveMaximum, "less than", <)
            && accepts(number, "multipleOf", rules.multipleOf, "a multiple of") { $0.isMultiple(of: $1) }
    }

    private func accepts(
        _ number: JSONNumber,
        _ keyword: String,
        _ bound: JSONNumber?,
        _ relation: String,
        _ holds: (JSONNumber, JSONNumber) -> Bool
    ) -> Bool {
        guard let bound, !holds(number, bound) else { return true }
        return continues(after: [keyword], "must be \(relation) \(bound), but is \(Wording.short(number))")
    }

    /// Whether a string satisfies its rules.
    mutating func accepts(_ rules: StringRules, _ text: String) -> Bool {
        let size = text.utf8.count
        // Only evaluations of nodes are counted, and long strings take longer.
        if size > 1024, WorkLimit.isReached {
            patternSteps = -1
            return false
        }
        // A code point has one to four bytes.
        if let least = rules.minLength, size / 4 < least {
            let length = text.unicodeScalars.count
            if length < least, !continues(after: ["minLength"], Wording.tooFew(length, least, "character")) {
                return false
            }
        }
        if let most = rules.maxLength, size > most {
            let length = text.unicodeScalars.count
            if length > most, !continues(after: ["maxLength"], Wording.tooMany(length, most, "character")) {
                return false
            }
        }
        if let pattern = rules.pattern, !pattern.occurs(in: text, steps: &patternSteps),
            patternSteps < 0 || !continues(after: ["pattern"], "must match the pattern '\(pattern.source)'")
        {
            return false
        }
        guard let format = rules.format, !format.accepts(text) else { return true }
        return continues(after: ["format"], "must be \(format.words)", .wrongFormat(format.rawValue))
    }

    /// Whether a number of elements or keys is within the limits of two keywords, such as `minItems` and `maxItems`.
    func acceptsCount(_ count: Int, of noun: String, _ keyword: String, _ least: Int?, _ most: Int?) -> Bool {
        if let least, count < least, !continues(after: ["min" + keyword], Wording.tooFew(count, least, noun)) {
            return false
        }
        guard let most, count > most else { return true }
        return continues(after: ["max" + keyword], Wording.tooMany(count, most, noun))
    }
}

extension SchemaEvaluator {
    /// Returns the first element that equals an earlier one, and the earlier one; `nil` also once a limit is exceeded.
    mutating func firstDuplicate(among elements: [JSON]) -> (earlier: Int, later: Int)? {
        var positions: [JSON: Int] = [:]
        for (later, element) in elements.enumerated() {
            guard mayContinue() else { return nil }
            if let earlier = positions.updateValue(later, forKey: element) { return (earlier, later) }
        }
        return nil
    }
}
