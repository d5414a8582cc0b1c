import WaybillJSON

extension ViolationCollector {
    /// Collects the violations of keywords that apply to the value itself; `false` if the others would only repeat
    /// them.
    mutating func collectValue(_ node: SchemaNode, _ instance: JSON, _ reference: JSONObject?) -> Bool {
        guard node.types.accepts(instance) else {
            let types = node.types.types
            let found = Wording.found(instance, expected: types)
            let words = types.flatMap { type in
                type == .object
                    ? [mapping(with: node.object?.requiredList ?? [])] : Wording.words(type, isAlone: types.count == 1)
            }
            let message = "must be \(Wording.list(words)), but is \(found)"
            let detail = SchemaViolation.Detail.wrongType(
                expected: types,
                found: Wording.type(of: instance),
                booleans: types.contains(.boolean) ? [false, true] : []
            )
            report(node, ["type"], message, detail, reference)
            return false
        }
        for (keyword, allowed) in [("const", node.constant), ("enum", node.enumeration)] {
            guard let allowed, !allowed.contains(instance) else { continue }
            let detail = SchemaViolation.Detail.notAllowedValue(allowed: allowed.list)
            let suggestion = suggestion(for: instance.string, among: allowed.list.compactMap(\.string))
            report(node, [keyword], Wording.mustBe(allowed.list), detail, reference, suggestion: suggestion)
            return false
        }
        switch instance {
        case .number(let number): collectNumber(node, number, reference)
        case .string(let string): collectString(node, string, reference)
        default: break
        }
        return true
    }

    private mutating func collectNumber(_ node: SchemaNode, _ number: JSONNumber, _ reference: JSONObject?) {
        guard let rules = node.number else { return }
        if let minimum = rules.minimum, number < minimum {
            report(node, ["minimum"], "must be at least \(minimum), but is \(number)", .other, reference)
        }
        if let maximum = rules.maximum, maximum < number {
            report(node, ["maximum"], "must be at most \(maximum), but is \(number)", .other, reference)
        }
        if let bound = rules.exclusiveMinimum, number <= bound {
            report(node, ["exclusiveMinimum"], "must be greater than \(bound), but is \(number)", .other, reference)
        }
        if let bound = rules.exclusiveMaximum, bound <= number {
            report(node, ["exclusiveMaximum"], "must be less than \(bound), but is \(number)", .other, reference)
        }
        if let divisor = rules.multipleOf, !number.isMultiple(of: divisor) {
            report(node, ["multipleOf"], "must be a multiple of \(divisor), but is \(number)", .other, reference)
        }
    }

    private mutating func collectString(_ node: SchemaNode, _ string: String, _ reference: JSONObject?) {
        guard let rules = node.string, !rules.accepts(string, steps: &evaluator.patternSteps) else { return }
        let length = string.unicodeScalars.count
        if let least = rules.minLength, length < least {
            let message =
                length == 0
                ? "must not be empty"
                : "must have at least \(Wording.count(least, "character")), but has \(length)"
            report(node, ["minLength"], message, .other, reference)
        }
        if let most = rules.maxLength, length > most {
            let message = "must have at most \(Wording.count(most, "character")), but has \(length)"
            report(node, ["maxLength"], message, .other, reference)
        }
        if let pattern = rules.pattern, !pattern.occurs(in: string, steps: &evaluator.patternSteps),
            !evaluator.isExhausted
        {
            report(node, ["pattern"], "must match the pattern '\(pattern.source)'", .other, reference)
        }
        if let format = rules.format, !format.accepts(string) {
            report(node, ["format"], "must be \(format.words)", .wrongFormat(format.rawValue), reference)
        }
    }
}
