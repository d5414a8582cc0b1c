/// Decides whether an instance is valid, as fast as may be: it stops at the first fault and builds no messages.
struct SchemaEvaluator {
    /// How deeply evaluations may lie within each other. References without end come to this.
    static let greatestDepth = 1_200
    /// How many evaluations may happen within several layers of alternatives, where work can grow exponentially.
    static let greatestWork = 5_000_000
    /// The layers of alternatives within which work is counted.
    static let freeLayers = 4

    let program: SchemaProgram
    /// The resources that evaluation has passed through, outermost first; kept only where a `$dynamicRef` asks.
    var scope: [Int] = []
    var depth = 0
    /// How many alternatives (`anyOf`, `oneOf`, `not`, `if`, `contains`) lie around.
    var layers = 0
    var work = 0
    /// Whether a limit was passed, so that the verdict is worth nothing.
    var isExhausted = false

    init(_ program: SchemaProgram) {
        self.program = program
    }

    /// Whether a node accepts an instance.
    mutating func accepts(_ index: Int, _ instance: JSON) -> Bool {
        var seen = EvaluatedPlaces()
        return accepts(index, instance, &seen)
    }

    /// Whether a node accepts an instance; records which places of it were evaluated. After a refusal the record is
    /// not to be used.
    mutating func accepts(_ index: Int, _ instance: JSON, _ seen: inout EvaluatedPlaces) -> Bool {
        let node = program.nodes[index]
        if node.acceptsEverything { return true }
        if node.refusesEverything { return false }
        guard enter() else { return false }
        defer { depth -= 1 }
        let isNewScope = !program.dynamicAnchors.isEmpty && scope.last != node.place.resource
        if isNewScope { scope.append(node.place.resource) }
        defer { if isNewScope { scope.removeLast() } }

        guard acceptsValue(node, instance) else { return false }
        if node.unevaluatedItems == nil && node.unevaluatedProperties == nil {
            return acceptsParts(node, instance, &seen)
        }
        var own = EvaluatedPlaces(tracking: true)
        guard acceptsParts(node, instance, &own), acceptsUnevaluated(node, instance, &own) else { return false }
        seen.formUnion(own)
        return true
    }

    /// Goes one evaluation deeper, unless that passes a limit.
    private mutating func enter() -> Bool {
        if layers > Self.freeLayers { work += 1 }
        if depth >= Self.greatestDepth || work > Self.greatestWork { isExhausted = true }
        if isExhausted { return false }
        depth += 1
        return true
    }

    /// The keywords that look at the value alone.
    private func acceptsValue(_ node: SchemaNode, _ instance: JSON) -> Bool {
        if node.types != .everything, !node.types.accepts(instance) { return false }
        if let constant = node.constant, !constant.contains(instance) { return false }
        if let enumeration = node.enumeration, !enumeration.contains(instance) { return false }
        switch instance {
        case .number(let number): return node.number?.accepts(number) ?? true
        case .string(let string): return node.string?.accepts(string) ?? true
        default: return true
        }
    }

    /// The keywords that apply subschemas, save `unevaluated…`.
    private mutating func acceptsParts(_ node: SchemaNode, _ instance: JSON, _ seen: inout EvaluatedPlaces) -> Bool {
        switch instance {
        case .array(let elements):
            if let rules = node.array, !accepts(rules, elements, &seen) { return false }
        case .object(let members):
            if let rules = node.object, !accepts(rules, members, instance, &seen) { return false }
        default:
            break
        }
        for applicator in node.applicators where !accepts(applicator, instance, &seen) { return false }
        return true
    }

    private mutating func acceptsUnevaluated(
        _ node: SchemaNode,
        _ instance: JSON,
        _ seen: inout EvaluatedPlaces
    ) -> Bool {
        switch instance {
        case .array(let elements):
            guard let schema = node.unevaluatedItems else { return true }
            for (position, element) in elements.enumerated() where !seen.contains(position) {
                if !accepts(schema, element) { return false }
            }
            seen.insert(0..<elements.count)
        case .object(let members):
            guard let schema = node.unevaluatedProperties else { return true }
            for (position, member) in members.enumerated() where !seen.contains(position) {
                if !accepts(schema, member.value) { return false }
            }
            seen.insert(0..<members.count)
        default:
            break
        }
        return true
    }
}
