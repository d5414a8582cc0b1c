import WaybillJSON

extension SchemaEvaluator {
    /// The size from which a value is searched for violations without first checking whether it is valid.
    private static var largeInstance: Int { 64 }

    /// Returns all violations in the instance, up to a limit.
    mutating func violations(limit: Int) -> [SchemaViolation] {
        let collector = ViolationCollector(program, limit: limit)
        self.collector = collector
        var seen = EvaluatedLocations()
        _ = accepts(0, root, [], &seen)
        if isExhausted {
            _ = continues(after: [], "is too deeply nested or too complex to check")
        } else if collector.violations.isEmpty {
            _ = continues(after: [], "does not match its schema")
        }
        return collector.violations.withoutMissingNamesThatAreMisspelt(in: root)
    }

    /// Records a violation of a keyword, and returns whether evaluation continues after it: not without a collector.
    ///
    /// - Parameters:
    ///   - path: The path from the node to the keyword.
    ///   - token: Leads from the current value to the invalid one.
    func continues(
        after path: @autoclosure () -> [String],
        _ message: @autoclosure () -> String,
        _ detail: @autoclosure () -> SchemaViolation.Detail = .other,
        at token: @autoclosure () -> JSONPointer.Token? = nil,
        concernsName: Bool = false,
        suggestion: @autoclosure () -> String? = nil
    ) -> Bool {
        guard let collector else { return false }
        collector.record(path(), message(), detail(), at: token(), concernsName: concernsName, suggestion: suggestion())
        return !collector.isFull
    }

    /// Records the unknown name of a member, and returns whether evaluation continues after it.
    func continues(afterUnknown name: String, known: [String], _ keyword: String) -> Bool {
        continues(
            after: [keyword],
            "'\(name)' is not a known key",
            .unknownName(name, known: known),
            at: .name(name),
            concernsName: true,
            suggestion: collector?.suggestion(for: name, among: known)
        )
    }

    /// Whether the subschema of a keyword accepts the instance itself. `path` leads from the node to the subschema.
    @inline(__always)
    mutating func accepts(
        _ schema: Int,
        _ instance: JSON,
        _ path: @autoclosure () -> [String],
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        guard collector != nil else { return accepts(schema, instance, &seen) }
        return collect(schema, instance, path(), at: nil, &seen)
    }

    /// Whether the subschema of a keyword accepts an element.
    ///
    /// - Parameter prefix: The number of elements that other subschemas apply to, if the keyword is `items`.
    @inline(__always)
    mutating func acceptsElement(
        _ schema: Int,
        _ element: JSON,
        at position: Int,
        _ path: @autoclosure () -> [String],
        after prefix: Int? = nil
    ) -> Bool {
        guard collector != nil else { return accepts(schema, element) }
        if let prefix, node(schema).rules.refusesEverything {
            let most = "the list can have at most \(Wording.count(prefix, "element"))"
            return continues(after: path(), "is not allowed: \(most)", .notAllowed, at: .index(position))
        }
        return collect(schema, element, path(), at: .index(position))
    }

    /// Whether the subschema of a keyword accepts the value of a member.
    ///
    /// - Parameter known: The names that are known, if the keyword applies to unknown ones.
    @inline(__always)
    mutating func acceptsMember(
        _ schema: Int,
        _ value: JSON,
        named name: String,
        _ path: @autoclosure () -> [String],
        known: @autoclosure () -> [String]? = nil
    ) -> Bool {
        guard collector != nil else { return accepts(schema, value) }
        if let known = known(), node(schema).rules.refusesEverything {
            return continues(afterUnknown: name, known: known, path()[0])
        }
        return collect(schema, value, path(), at: .name(name))
    }

    /// Whether the subschema of `propertyNames` accepts the name of a member.
    mutating func acceptsName(_ schema: Int, _ name: String) -> Bool {
        guard let collector else { return accepts(schema, .string(name)) }
        return collector.recordName(name) { collect(schema, .string(name), ["propertyNames"], at: .name(name)) }
    }

    private mutating func collect(_ schema: Int, _ part: JSON, _ path: [String], at token: JSONPointer.Token) -> Bool {
        // A valid member or element need not be searched. For a large one, its parts are checked instead, because
        // checking at each level would evaluate everything inside repeatedly.
        if valueCount(of: part, upTo: Self.largeInstance) <= Self.largeInstance, tries(schema, part) { return true }
        var seen = EvaluatedLocations()
        return collect(schema, part, path, at: token, &seen)
    }

    /// Records the violations of the subschema of a keyword, and returns whether evaluation continues after it.
    private mutating func collect(
        _ schema: Int,
        _ instance: JSON,
        _ path: [String],
        at token: JSONPointer.Token?,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        guard let collector else { return accepts(schema, instance, &seen) }
        let node = node(schema)
        if node.rules.refusesEverything { return continues(after: path, "is not allowed", .notAllowed, at: token) }
        let outer = collector.position
        collector.position = outer.descending(to: node, path, at: token)
        defer { collector.position = outer }
        _ = accepts(schema, instance, &seen)
        return !collector.isFull && !isExhausted
    }
}
