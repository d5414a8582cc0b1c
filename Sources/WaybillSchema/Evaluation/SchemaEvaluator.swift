import WaybillJSON

/// Decides whether an instance is valid, and records the violations if there is a collector for them.
///
/// Without a collector, it stops at the first violation and builds no messages. With one, it continues after a violation
/// wherever the rest is still meaningful, so a function that returns whether something is accepted returns `true` then,
/// unless nothing more is to be found.
struct SchemaEvaluator {
    let program: SchemaProgram
    // The nodes used so far, available without a lock.
    private var nodes: [SchemaNode?]
    /// The resources that evaluation has entered, outermost first; kept only if a `$dynamicRef` needs them.
    var scope: [Int] = []
    private var depth = 0
    /// Where violations are recorded, if their messages are wanted.
    var collector: ViolationCollector?
    /// The number of enclosing alternatives (`anyOf`, `oneOf`, `not`, `if`, `contains`).
    var layers = 0
    /// Whether a limit was exceeded, so that the result is invalid.
    var isExhausted: Bool { hasExceededLimit || patternSteps < 0 }
    private var hasExceededLimit = false
    /// The steps left for patterns that can take more than linear time, for all strings together: less than a second of
    /// work in a release build. If it is negative, the result is invalid.
    var patternSteps = 5_000_000
    private var work = 0
    private var limit = WorkLimit.Check()
    private var greatestWork = SchemaLimits.freeWork
    let root: JSON

    /// Creates an evaluator for one instance.
    init(_ program: SchemaProgram, _ root: JSON) {
        self.program = program
        nodes = program.nodes
        self.root = root
    }

    /// Returns whether the schema accepts the instance.
    mutating func acceptsRoot() -> Bool {
        accepts(0, root) && !isExhausted
    }

    /// Returns the node with an index.
    mutating func node(_ index: Int) -> SchemaNode {
        if index < nodes.count, let node = nodes[index] { return node }
        let node = program.node(index)
        if index >= nodes.count { nodes += Array(repeating: nil, count: index + 1 - nodes.count) }
        nodes[index] = node
        return node
    }

    /// Returns whether a node accepts an instance.
    mutating func accepts(_ index: Int, _ instance: JSON) -> Bool {
        var seen = EvaluatedLocations()
        return accepts(index, instance, &seen)
    }

    /// Returns whether a node accepts an instance, and records which locations in it were evaluated. After a rejection,
    /// the record must not be used.
    mutating func accepts(_ index: Int, _ instance: JSON, _ seen: inout EvaluatedLocations) -> Bool {
        var node = node(index)
        // Chains of references end, because the schema would have been rejected otherwise. They matter only if the path
        // of evaluation through resources does, or if violations name it.
        if program.dynamicAnchors.isEmpty, collector == nil {
            while let target = node.target {
                guard enter() else { return false }
                leave()
                node = self.node(target)
            }
        }
        if node.acceptsEverything { return true }
        if node.rules.refusesEverything { return false }
        guard enter() else { return false }
        defer { leave() }
        if program.dynamicAnchors.isEmpty || scope.last == node.location.resource {
            return accepts(node, instance, &seen)
        }
        scope.append(node.location.resource)
        defer { scope.removeLast() }
        return accepts(node, instance, &seen)
    }

    private mutating func accepts(_ node: SchemaNode, _ instance: JSON, _ seen: inout EvaluatedLocations) -> Bool {
        guard acceptsKind(node, instance) else { return false }
        if node.rules.unevaluatedItems == nil && node.rules.unevaluatedProperties == nil {
            return acceptsParts(node, instance, &seen)
        }
        var own = EvaluatedLocations(tracking: true, naming: collector != nil)
        guard acceptsParts(node, instance, &own), acceptsUnevaluated(node, instance, &own) else { return false }
        seen.formUnion(own)
        return true
    }

    /// Enters a nested evaluation, unless that exceeds a limit.
    mutating func enter() -> Bool {
        work += 1
        if work & 0x3FF == 0, WorkLimit.isReached { hasExceededLimit = true }
        if depth >= SchemaLimits.greatestDepth || work > greatestWork, !isExhausted { hasExceededLimit = !grantsMore() }
        if isExhausted { return false }
        depth += 1
        return true
    }

    /// Whether evaluation may continue. Every loop over the values or names of an instance asks this, because only nested
    /// evaluations are counted elsewhere.
    ///
    /// - Parameter size: The amount of work; 64 takes about as long as reading a value.
    mutating func mayContinue(before size: Int = 64) -> Bool {
        if limit.isReached(before: size) { hasExceededLimit = true }
        return !isExhausted
    }

    /// Leaves an evaluation that `enter()` allowed.
    mutating func leave() {
        depth -= 1
    }

    /// Raises the limit of work to what the size of the instance allows, and returns whether evaluation may continue.
    private mutating func grantsMore() -> Bool {
        guard depth < SchemaLimits.greatestDepth, greatestWork == SchemaLimits.freeWork else { return false }
        greatestWork += valueCount(of: root).multipliedReportingOverflow(by: SchemaLimits.workPerValue).partialValue
        return greatestWork > SchemaLimits.freeWork
    }

    /// Returns the number of values within a value, including itself; counting stops above a limit.
    func valueCount(of value: JSON, upTo limit: Int = .max) -> Int {
        var count = 0
        var open = [value]
        while count <= limit, let value = open.popLast() {
            count += 1
            switch value {
            case .array(let elements): open += elements.prefix(limit)
            case .object(let members): open += members.prefix(limit).map(\.value)
            default: break
            }
        }
        return count
    }

    /// Evaluates all keywords except `type`, `const`, `enum` and `unevaluated…`.
    private mutating func acceptsParts(
        _ node: SchemaNode,
        _ instance: JSON,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        switch instance {
        case .number(let number):
            if let rules = node.rules.number, !accepts(rules, number) { return false }
        case .string(let text):
            if let rules = node.rules.string, !accepts(rules, text) { return false }
        case .array(let elements):
            if let rules = node.rules.array, !accepts(rules, elements, &seen) { return false }
        case .object(let members):
            if node.rules.hasObjectRules, !accepts(members, of: node, instance, &seen) { return false }
        case .null, .bool, .bytes: break
        }
        for applicator in node.rules.applicators where !accepts(applicator, instance, &seen) { return false }
        return true
    }

    /// Evaluates `unevaluatedItems` and `unevaluatedProperties`. What a failed subschema knows is treated as evaluated: its
    /// violation has been recorded, and otherwise all its names would be reported as unknown too.
    private mutating func acceptsUnevaluated(
        _ node: SchemaNode,
        _ instance: JSON,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        switch instance {
        case .array(let elements):
            guard let schema = node.rules.unevaluatedItems else { return true }
            for (position, element) in elements.enumerated() where !seen.contains(position) {
                guard mayContinue(), acceptsElement(schema, element, at: position, ["unevaluatedItems"]) else {
                    return false
                }
            }
            seen.insert(0..<elements.count)
        case .object(let members):
            guard let schema = node.rules.unevaluatedProperties else { return true }
            for (position, (name, value)) in members.enumerated() where !seen.contains(position) {
                guard mayContinue() else { return false }
                let isAccepted = acceptsMember(
                    schema,
                    value,
                    named: name,
                    ["unevaluatedProperties"],
                    known: seen.known
                )
                guard isAccepted else { return false }
            }
            seen.insert(0..<members.count)
        default:
            break
        }
        return true
    }
}

/// Limits on the work of an evaluation.
enum SchemaLimits {
    /// The maximum depth of nested evaluations. Endless references reach it.
    static let greatestDepth = 1_200
    /// The number of evaluations allowed for any instance, and the additional number for each value in it. Otherwise
    /// nested alternatives, or schemas that apply one another twice, could take exponential time.
    static let freeWork = 1_000_000
    static let workPerValue = 1_000
}
