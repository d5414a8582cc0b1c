/// Decides whether an instance is valid, as fast as may be: it stops at the first fault and builds no messages.
struct SchemaEvaluator {
    /// How deeply evaluations may lie within each other. References without end come to this.
    static let greatestDepth = 1_200
    /// How many evaluations any instance may take, and how many more for each value in it. Alternatives within
    /// alternatives, or schemas that apply one another twice over, could otherwise take exponential time.
    static let freeWork = 1_000_000
    static let workPerValue = 1_000

    let program: SchemaProgram
    /// The resources that evaluation has passed through, outermost first; kept only where a `$dynamicRef` asks.
    var scope: [Int] = []
    private var depth = 0
    /// How many alternatives (`anyOf`, `oneOf`, `not`, `if`, `contains`) lie around.
    var layers = 0
    /// Whether a limit was passed, so that the verdict is worth nothing.
    var isExhausted = false
    private var work = 0
    private var greatestWork = Self.freeWork
    private let root: JSON

    /// An evaluator for one instance.
    init(_ program: SchemaProgram, _ instance: JSON) {
        self.program = program
        root = instance
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
        defer { leave() }
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
    mutating func enter() -> Bool {
        work += 1
        if depth >= Self.greatestDepth || work > greatestWork, !isExhausted { isExhausted = !grantsMore() }
        if isExhausted { return false }
        depth += 1
        return true
    }

    /// Comes back from an evaluation that `enter()` let begin.
    mutating func leave() {
        depth -= 1
    }

    /// Raises the limit of work to what the size of the instance allows; whether evaluation may go on.
    private mutating func grantsMore() -> Bool {
        guard depth < Self.greatestDepth, greatestWork == Self.freeWork else { return false }
        greatestWork += root.valueCount.multipliedReportingOverflow(by: Self.workPerValue).partialValue
        return greatestWork > Self.freeWork
    }

    /// Whether a value has a type and is among the values that a node allows.
    func acceptsKind(_ node: SchemaNode, _ instance: JSON) -> Bool {
        if node.types != .everything, !node.types.accepts(instance) { return false }
        if let constant = node.constant, !constant.contains(instance) { return false }
        if let enumeration = node.enumeration, !enumeration.contains(instance) { return false }
        return true
    }

    /// The keywords that look at the value alone.
    private func acceptsValue(_ node: SchemaNode, _ instance: JSON) -> Bool {
        guard acceptsKind(node, instance) else { return false }
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

extension JSON {
    /// How many values there are in this one, itself included.
    fileprivate var valueCount: Int {
        var count = 0
        var open = [self]
        while let value = open.popLast() {
            count += 1
            switch value {
            case .array(let elements): open += elements
            case .object(let members): for member in members { open.append(member.value) }
            default: break
            }
        }
        return count
    }
}
