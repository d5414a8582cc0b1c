import WaybillDiagnostics
import WaybillJSON

/// Finds everything that is wrong with an instance, and words it.
///
/// This is the slow path, taken once the evaluator has refused an instance. It goes on after a fault wherever the rest
/// still means something, and reports a fault in the place of its cause only.
struct ViolationCollector {
    let program: SchemaProgram
    /// Gives verdicts on alternatives; its dynamic scope is kept in step with where the collector is.
    var evaluator: SchemaEvaluator<JSONInstances>
    private(set) var violations: [SchemaViolation] = []
    private var told: Set<Told> = []
    /// How many alternatives are being tried out to see which is nearest.
    private var trials = 0
    private(set) var instancePath: [JSONPointer.Token] = []
    private var keywordPath: [String] = []
    /// Whether the value at hand is the name of the member at the instance path.
    private var isAtName = false

    /// How many values an instance has at least that is walked through before it is known whether it is in order.
    private static let largeInstance = 64

    /// How many more suggestions are looked for; an instance may have millions of faults, and nobody reads that many.
    private var suggestionsLeft = 1000

    private let root: JSON
    /// How many members of the instance, from the first, are known to be in order.
    let acceptedMembers: Int
    private let limit: Int

    /// A collector for one instance, which looks no further after a number of violations.
    init(_ program: SchemaProgram, _ instance: JSON, accepting acceptedMembers: Int = 0, limit: Int) {
        self.program = program
        self.acceptedMembers = acceptedMembers
        self.limit = limit
        root = instance
        evaluator = SchemaEvaluator(program, instance, of: JSONInstances())
    }

    /// All violations of the program's first node.
    mutating func findings() -> [SchemaViolation] {
        let node = program.node(0)
        if node.refusesEverything {
            report(node, [], "is not allowed", .notAllowed, nil)
        } else {
            collect(0, root, nil)
        }
        if evaluator.isExhausted {
            report(node, [], "is too deeply nested or too intricate to be checked", .other, nil)
        } else if violations.isEmpty {
            report(node, [], "does not follow its schema", .other, nil)
        }
        return violations.withoutMissingNamesThatAreMisspelt(in: root)
    }

    /// Collects what is wrong by one node. `reference` is the annotation of the references that led to it.
    mutating func collect(_ index: Int, _ instance: JSON, _ reference: JSONObject?) {
        let node = program.node(index)
        guard violations.count < limit, !node.acceptsEverything, evaluator.enter() else { return }
        evaluator.scope.append(node.place.resource)
        defer {
            evaluator.leave()
            evaluator.scope.removeLast()
        }
        guard collectValue(node, instance, reference) else { return }
        switch instance {
        case .array(let elements): collectArray(node, elements, reference)
        case .object(let members): collectObject(node, members, instance, reference)
        default: break
        }
        for applicator in node.applicators { collectApplicator(applicator, node, instance, reference) }
        collectUnevaluated(node, instance, reference)
    }

    /// Applies a subschema from a keyword of a node; `path` starts with the keyword.
    mutating func apply(
        _ schema: Int,
        _ instance: JSON,
        _ path: [String],
        of node: SchemaNode,
        at token: JSONPointer.Token? = nil,
        reference: JSONObject? = nil
    ) {
        if program.node(schema).refusesEverything {
            let message = "is not allowed"
            return report(node, path, message, .notAllowed, reference, at: token)
        }
        // A member or an element that is in order need not be walked through; of a large one its parts are asked that, since
        // asking at each level would look at all that is inside again and again.
        if token != nil, !instance.hasMoreValues(than: Self.largeInstance), evaluator.accepts(schema, instance) {
            return
        }
        keywordPath += path
        if let token { instancePath.append(token) }
        collect(schema, instance, reference)
        if token != nil { instancePath.removeLast() }
        keywordPath.removeLast(path.count)
    }

    /// Collects what is wrong with the name of a member.
    mutating func applyToName(_ schema: Int, _ name: String, of node: SchemaNode) {
        let outer = isAtName
        let before = violations.count
        isAtName = true
        apply(schema, .string(name), ["propertyNames"], of: node, at: .name(name))
        isAtName = outer
        for index in violations[before...].indices { violations[index] = violations[index].told(ofName: name) }
    }

    /// What a node finds wrong, without reporting it.
    mutating func trial(_ schema: Int, _ instance: JSON, _ path: [String], of node: SchemaNode) -> [SchemaViolation] {
        let before = (violations, told)
        (violations, told) = ([], [])
        trials += 1
        apply(schema, instance, path, of: node)
        trials -= 1
        defer { (violations, told) = before }
        return violations
    }

    /// Which of some names was probably meant by another.
    mutating func suggestion(for name: String?, among names: [String]) -> String? {
        guard let name, suggestionsLeft > 0, names.count <= 1000 else { return nil }
        suggestionsLeft -= 1
        return NearestName.of(name, among: names)
    }

    /// Whether alternatives are being tried out already; trying within that would take exponential time.
    var isTrial: Bool { trials > 0 }

    /// The pointer to the value at hand.
    var location: JSONPointer { JSONPointer(instancePath) }

    /// Reports a fault; `path` leads from the node to the keyword, `token` from the value at hand to the one at fault.
    mutating func report(
        _ node: SchemaNode,
        _ path: [String],
        _ message: String,
        _ detail: SchemaViolation.Detail,
        _ reference: JSONObject?,
        at token: JSONPointer.Token? = nil,
        concernsName: Bool = false,
        suggestion: String? = nil
    ) {
        guard violations.count < limit else { return }
        var annotation = node.annotation
        for (name, value) in reference ?? JSONObject() {
            annotation = annotation ?? JSONObject()
            annotation?[name] = value
        }
        let root = program.roots[node.place.resource].tokens.count
        let inResource = node.place.pointer.tokens.dropFirst(root) + path.map { .name($0) }
        let violation = SchemaViolation(
            instanceLocation: JSONPointer(instancePath + (token.map { [$0] } ?? [])),
            concernsName: concernsName || isAtName,
            keywordLocation: JSONPointer((keywordPath + path).map { .name($0) }),
            absoluteKeywordLocation: program.addresses[node.place.resource] + "#\(JSONPointer(Array(inResource)))",
            keyword: path.first ?? "false",
            message: message,
            detail: detail,
            suggestion: suggestion,
            annotation: annotation
        )
        if told.insert(Told(violation)).inserted { violations.append(violation) }
    }
}

/// What a person reads of a violation; nobody wants that twice.
private struct Told: Hashable {
    let location: JSONPointer
    let concernsName: Bool
    let message: String

    init(_ violation: SchemaViolation) {
        location = violation.instanceLocation
        concernsName = violation.concernsName
        message = violation.message
    }
}

extension SchemaViolation {
    /// The same, said of the key instead of the value.
    fileprivate func told(ofName name: String) -> SchemaViolation {
        var message = "the key '\(name)' \(message)"
        var detail = detail
        if case .notAllowedValue(let allowed) = detail {
            detail = .unknownName(name, known: allowed.compactMap(\.string))
            message = "'\(name)' is not a known key"
        }
        return SchemaViolation(
            instanceLocation: instanceLocation,
            concernsName: concernsName,
            keywordLocation: keywordLocation,
            absoluteKeywordLocation: absoluteKeywordLocation,
            keyword: keyword,
            message: message,
            detail: detail,
            suggestion: suggestion,
            annotation: annotation
        )
    }
}

extension JSON {
    /// Whether there are more than so many values in the value, itself included. It looks at no more than that.
    fileprivate func hasMoreValues(than limit: Int) -> Bool {
        var left = limit
        return takesMore(than: &left)
    }

    private func takesMore(than left: inout Int) -> Bool {
        left -= 1
        if left < 0 { return true }
        switch self {
        case .array(let elements): return elements.contains { $0.takesMore(than: &left) }
        case .object(let members): return members.contains { $0.value.takesMore(than: &left) }
        default: return false
        }
    }
}
