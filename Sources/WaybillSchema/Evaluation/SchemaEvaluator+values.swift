import WaybillJSON

extension SchemaEvaluator {
    /// Whether a value has an allowed type and is among the values that a node allows. If not, the other keywords would
    /// only repeat that.
    func acceptsKind(_ node: SchemaNode, _ kind: JSON.Kind, _ instance: Value) -> Bool {
        if !node.types.accepts(kind) {
            guard kind == .number, node.types.contains(.integer), instances.number(instance).isInteger else {
                if collector != nil { reportType(node, instances.json(instance)) }
                return false
            }
        }
        return accepts(node.constant, "const", kind, instance) && accepts(node.enumeration, "enum", kind, instance)
    }

    private func accepts(_ values: AllowedValues?, _ keyword: String, _ kind: JSON.Kind, _ instance: Value) -> Bool {
        guard let values, !isAmong(values, kind, instance) else { return true }
        if let collector {
            _ = continues(
                after: [keyword],
                Wording.mustBe(values.list),
                .notAllowedValue(allowed: values.list),
                suggestion: collector.suggestion(for: instances.json(instance).string, among: values.strings.names)
            )
        }
        return false
    }

    private func isAmong(_ values: AllowedValues, _ kind: JSON.Kind, _ instance: Value) -> Bool {
        if kind == .string { return instances.isName(instance, in: values.strings) }
        return values.hasOthers && values.contains(instances.json(instance))
    }

    private func reportType(_ node: SchemaNode, _ instance: JSON) {
        let types = node.types.types
        let words = types.flatMap { type in
            type == .object
                ? [Wording.mapping(with: node.object?.requiredList ?? [])]
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
    func accepts(_ rules: Rules<NumberRules>, _ number: JSONNumber) -> Bool {
        accepts(number, "minimum", rules.all.minimum, "at least", >=)
            && accepts(number, "maximum", rules.all.maximum, "at most", <=)
            && accepts(number, "exclusiveMinimum", rules.all.exclusiveMinimum, "greater than", >)
            && accepts(number, "exclusiveMaximum", rules.all.exclusiveMaximum, "less than", <)
            && accepts(number, "multipleOf", rules.all.multipleOf, "a multiple of") { $0.isMultiple(of: $1) }
    }

    @inline(__always)
    private func accepts(
        _ number: JSONNumber,
        _ keyword: String,
        _ bound: JSONNumber?,
        _ relation: String,
        _ holds: (JSONNumber, JSONNumber) -> Bool
    ) -> Bool {
        guard let bound, !holds(number, bound) else { return true }
        return continues(after: [keyword], "must be \(relation) \(bound), but is \(number)")
    }

    /// Whether a string satisfies its rules.
    mutating func accepts(_ rules: Rules<StringRules>, _ instance: Value) -> Bool {
        var steps = patternSteps
        let isAccepted = instances.withText(of: instance) { text in
            // Long strings take longer than other evaluations of nodes.
            if text.count > 1024, WorkLimit.isReached {
                steps = -1
                return false
            }
            if let least = rules.all.minLength, !StringRules.isLength(of: text, atLeast: least),
                !continues(after: ["minLength"], Wording.tooFew(StringRules.length(of: text), least, "character"))
            {
                return false
            }
            if let most = rules.all.maxLength, text.count > most, StringRules.isLength(of: text, atLeast: most + 1),
                !continues(after: ["maxLength"], Wording.tooMany(StringRules.length(of: text), most, "character"))
            {
                return false
            }
            if let pattern = rules.all.pattern, !pattern.occurs(in: text, steps: &steps),
                steps < 0 || !continues(after: ["pattern"], "must match the pattern '\(pattern.source)'")
            {
                return false
            }
            guard let format = rules.all.format, !format.accepts(String(decoding: text, as: UTF8.self)) else {
                return true
            }
            return continues(after: ["format"], "must be \(format.words)", .wrongFormat(format.rawValue))
        }
        patternSteps = steps
        return isAccepted
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

extension StringRules {
    /// Returns the number of code points in UTF-8.
    fileprivate static func length(of text: UnsafeBufferPointer<UInt8>) -> Int {
        text.count { $0 & 0xC0 != 0x80 }
    }

    /// Whether a string has a number of code points: at most one per byte of UTF-8, and at least one per four bytes.
    fileprivate static func isLength(of text: UnsafeBufferPointer<UInt8>, atLeast least: Int) -> Bool {
        text.count >= least && (text.count / 4 >= least || length(of: text) >= least)
    }
}

extension SchemaEvaluator {
    /// Returns the first element that equals an earlier one, and the earlier one; `nil` also once a limit is exceeded.
    mutating func firstDuplicate(among elements: Instances.Elements) -> (earlier: Int, later: Int)? {
        let count = instances.count(of: elements)
        guard count > 8 else {
            let values = (0..<count).map { instances.json(instances.element(at: $0, of: elements)) }
            for later in values.indices {
                for earlier in 0..<later where values[earlier] == values[later] { return (earlier, later) }
            }
            return nil
        }
        var positions: [JSON: Int] = [:]
        for later in 0..<count {
            guard mayContinue() else { return nil }
            let element = instances.json(instances.element(at: later, of: elements))
            if let earlier = positions.updateValue(later, forKey: element) { return (earlier, later) }
        }
        return nil
    }
}
