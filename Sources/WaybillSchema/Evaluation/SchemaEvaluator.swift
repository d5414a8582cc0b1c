import WaybillJSON

/// Decides whether an instance is valid, as fast as may be: it stops at the first fault and builds no messages.
struct SchemaEvaluator<Instances: SchemaInstances> {
    typealias Value = Instances.Value

    let program: SchemaProgram
    // The program's nodes as far as they have been needed, at hand without a lock.
    private var nodes: [SchemaNode?]
    let instances: Instances
    /// The resources that evaluation has passed through, outermost first; kept only where a `$dynamicRef` asks.
    var scope: [Int] = []
    private(set) var depth = 0
    /// How many members of the instance, which is an object, were found in order, one after the other from the first.
    var acceptedMembers = 0
    /// How many alternatives (`anyOf`, `oneOf`, `not`, `if`, `contains`) lie around.
    var layers = 0
    /// Whether a limit was exceeded, so that the verdict means nothing.
    var isExhausted: Bool { hasExceededLimit || patternSteps < 0 }
    private var hasExceededLimit = false
    /// The steps left for patterns whose time can grow faster than a string, in all strings together: less than a
    /// second's work in a release build. Once it is negative, the result is invalid.
    var patternSteps = 5_000_000
    private var work = 0
    private var greatestWork = SchemaLimits.freeWork
    private let root: Value

    /// An evaluator for one instance.
    init(_ program: SchemaProgram, _ root: Value, of instances: Instances) {
        self.program = program
        nodes = program.nodes
        self.root = root
        self.instances = instances
    }

    /// Whether the schema accepts the instance.
    mutating func acceptsRoot() -> Bool {
        accepts(0, root) && !isExhausted
    }

    /// The node with an index.
    mutating func node(_ index: Int) -> SchemaNode {
        if index < nodes.count, let node = nodes[index] { return node }
        let node = program.node(index)
        if index >= nodes.count { nodes += Array(repeating: nil, count: index + 1 - nodes.count) }
        nodes[index] = node
        return node
    }

    /// Whether a node accepts an instance.
    mutating func accepts(_ index: Int, _ instance: Value) -> Bool {
        var seen = EvaluatedLocations()
        return accepts(index, instance, &seen)
    }

    /// Whether a node accepts an instance; records which places of it were evaluated. After a refusal the record is
    /// not to be used.
    mutating func accepts(_ index: Int, _ instance: Value, _ seen: inout EvaluatedLocations) -> Bool {
        var node = node(index)
        // References that only lead on end somewhere, or else the schema would have been refused. They count only where the
        // way of evaluation through resources does.
        if program.dynamicAnchors.isEmpty {
            while let target = node.target {
                guard enter() else { return false }
                leave()
                node = self.node(target)
            }
        }
        if node.acceptsEverything { return true }
        if node.refusesEverything { return false }
        guard enter() else { return false }
        defer { leave() }
        if program.dynamicAnchors.isEmpty || scope.last == node.place.resource { return accepts(node, instance, &seen) }
        scope.append(node.place.resource)
        defer { scope.removeLast() }
        return accepts(node, instance, &seen)
    }

    private mutating func accepts(_ node: SchemaNode, _ instance: Value, _ seen: inout EvaluatedLocations) -> Bool {
        let kind = instances.kind(of: instance)
        guard acceptsKind(node, kind, instance) else { return false }
        switch kind {
        case .number:
            if let rules = node.numberRules, !rules.all.accepts(instances.number(instance)) { return false }
        case .string:
            if let rules = node.stringRules {
                var steps = patternSteps
                let isAccepted = instances.withText(of: instance) { rules.all.accepts($0, steps: &steps) }
                patternSteps = steps
                guard isAccepted else { return false }
            }
        default: break
        }
        if node.unevaluatedItems == nil && node.unevaluatedProperties == nil {
            return acceptsParts(node, kind, instance, &seen)
        }
        var own = EvaluatedLocations(tracking: true)
        guard acceptsParts(node, kind, instance, &own), acceptsUnevaluated(node, kind, instance, &own) else {
            return false
        }
        seen.formUnion(own)
        return true
    }

    /// Goes one evaluation deeper, unless that passes a limit.
    mutating func enter() -> Bool {
        work += 1
        if depth >= SchemaLimits.greatestDepth || work > greatestWork, !isExhausted { hasExceededLimit = !grantsMore() }
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
        guard depth < SchemaLimits.greatestDepth, greatestWork == SchemaLimits.freeWork else { return false }
        greatestWork += valueCount(of: root).multipliedReportingOverflow(by: SchemaLimits.workPerValue).partialValue
        return greatestWork > SchemaLimits.freeWork
    }

    /// How many values there are in one, itself included.
    private func valueCount(of value: Value) -> Int {
        var count = 0
        var open = [value]
        while let value = open.popLast() {
            count += 1
            switch instances.kind(of: value) {
            case .array:
                let elements = instances.elements(of: value)
                open += (0..<instances.count(of: elements)).map { instances.element(at: $0, of: elements) }
            case .object:
                let members = instances.members(of: value)
                open += (0..<instances.count(of: members)).map { instances.value(at: $0, of: members) }
            default: break
            }
        }
        return count
    }

    /// Whether a value has a type and is among the values that a node allows.
    func acceptsKind(_ node: SchemaNode, _ kind: JSON.Kind, _ instance: Value) -> Bool {
        if !node.types.accepts(kind) {
            guard kind == .number, node.types.contains(.integer), instances.number(instance).isInteger else {
                return false
            }
        }
        if let constant = node.constant, !isAmong(constant, kind, instance) { return false }
        if let enumeration = node.enumeration, !isAmong(enumeration, kind, instance) { return false }
        return true
    }

    private func isAmong(_ values: AllowedValues, _ kind: JSON.Kind, _ instance: Value) -> Bool {
        if kind == .string { return instances.isName(instance, in: values.strings) }
        return values.hasOthers && values.contains(instances.json(instance))
    }

    /// The keywords that apply subschemas, save `unevaluated…`.
    private mutating func acceptsParts(
        _ node: SchemaNode,
        _ kind: JSON.Kind,
        _ instance: Value,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        switch kind {
        case .array:
            if let rules = node.arrayRules, !accepts(rules, instances.elements(of: instance), &seen) { return false }
        case .object:
            if let rules = node.objectRules {
                guard accepts(rules, instances.members(of: instance), instance, &seen) else { return false }
            }
        default:
            break
        }
        if node.applicators.isEmpty { return true }
        for applicator in node.applicators where !accepts(applicator, instance, &seen) { return false }
        return true
    }

    private mutating func acceptsUnevaluated(
        _ node: SchemaNode,
        _ kind: JSON.Kind,
        _ instance: Value,
        _ seen: inout EvaluatedLocations
    ) -> Bool {
        switch kind {
        case .array:
            guard let schema = node.unevaluatedItems else { return true }
            let elements = instances.elements(of: instance)
            let count = instances.count(of: elements)
            for position in 0..<count where !seen.contains(position) {
                if !accepts(schema, instances.element(at: position, of: elements)) { return false }
            }
            seen.insert(0..<count)
        case .object:
            guard let schema = node.unevaluatedProperties else { return true }
            let members = instances.members(of: instance)
            let count = instances.count(of: members)
            for position in 0..<count where !seen.contains(position) {
                if !accepts(schema, instances.value(at: position, of: members)) { return false }
            }
            seen.insert(0..<count)
        default:
            break
        }
        return true
    }
}

/// How much evaluating may take.
enum SchemaLimits {
    /// How deeply evaluations may lie within each other. References without end come to this.
    static let greatestDepth = 1_200
    /// How many evaluations any instance may take, and how many more for each value in it. Alternatives within
    /// alternatives, or schemas that apply one another twice over, could otherwise take exponential time.
    static let freeWork = 1_000_000
    static let workPerValue = 1_000
}
