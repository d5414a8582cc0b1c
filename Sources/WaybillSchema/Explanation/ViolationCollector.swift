import WaybillDiagnostics
import WaybillJSON

/// Finds all violations in an instance and words their messages.
///
/// This is the slow path, taken after the evaluator has rejected an instance. It continues after a violation wherever
/// the rest is still meaningful, and reports each violation only at its cause.
struct ViolationCollector {
    let program: SchemaProgram
    /// Evaluates alternatives; its dynamic scope follows the position of the collector.
    var evaluator: SchemaEvaluator<JSONInstances>
    private(set) var violations: [SchemaViolation] = []
    private var told: Set<ReportedViolation> = []
    /// The number of nested trials of alternatives to find the nearest.
    private var trials = 0
    private(set) var instancePath: [JSONPointer.Token] = []
    private var keywordPath: [String] = []
    /// Whether the current value is the name of the member at the instance path.
    private var isAtName = false

    /// The size from which a value is searched for violations without first checking whether it is valid.
    private static let largeInstance = 64

    /// The number of suggestions still allowed: an instance may have millions of violations, too many for anyone to
    /// read.
    private var suggestionsLeft = 1000

    private let root: JSON
    /// The number of members of the instance, from the first, that are known to be valid.
    let acceptedMembers: Int
    private let limit: Int

    /// Creates a collector for one instance, which stops after `limit` violations.
    init(_ program: SchemaProgram, _ instance: JSON, accepting acceptedMembers: Int = 0, limit: Int) {
        self.program = program
        self.acceptedMembers = acceptedMembers
        self.limit = limit
        root = instance
        evaluator = SchemaEvaluator(program, instance, of: JSONInstances())
    }

    /// Returns all violations of the program's first node.
    mutating func sortedViolations() -> [SchemaViolation] {
        let node = program.node(0)
        if node.refusesEverything {
            report(node, [], "is not allowed", .notAllowed, nil)
        } else {
            collect(0, root, nil)
        }
        if evaluator.isExhausted {
            report(node, [], "is too deeply nested or too complex to check", .other, nil)
        } else if violations.isEmpty {
            report(node, [], "does not match its schema", .other, nil)
        }
        return violations.withoutMissingNamesThatAreMisspelt(in: root)
    }

    /// Collects the violations of one node. `reference` is the annotation of the references that led to it.
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

    /// Applies the subschema of a node's keyword; `path` starts with the keyword.
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
        // A valid member or element need not be searched. For a large one, its parts are checked instead, because
        // checking at each level would evaluate everything inside repeatedly.
        if token != nil, !instance.hasMoreValues(than: Self.largeInstance), evaluator.accepts(schema, instance) {
            return
        }
        keywordPath += path
        if let token { instancePath.append(token) }
        collect(schema, instance, reference)
        if token != nil { instancePath.removeLast() }
        keywordPath.removeLast(path.count)
    }

    /// Collects the violations in the name of a member.
    mutating func applyToName(_ schema: Int, _ name: String, of node: SchemaNode) {
        let outer = isAtName
        let before = violations.count
        isAtName = true
        apply(schema, .string(name), ["propertyNames"], of: node, at: .name(name))
        isAtName = outer
        for index in violations[before...].indices { violations[index] = violations[index].told(ofName: name) }
    }

    /// Returns the violations of a node without reporting them.
    mutating func trial(_ schema: Int, _ instance: JSON, _ path: [String], of node: SchemaNode) -> [SchemaViolation] {
        let before = (violations, told)
        (violations, told) = ([], [])
        trials += 1
        apply(schema, instance, path, of: node)
        trials -= 1
        defer { (violations, told) = before }
        return violations
    }

    /// Returns the name among some names that another one probably meant.
    mutating func suggestion(for name: String?, among names: [String]) -> String? {
        guard let name, suggestionsLeft > 0, names.count <= 1000 else { return nil }
        suggestionsLeft -= 1
        return NearestName.of(name, among: names)
    }

    /// Whether alternatives are already being tried; nested trials would take exponential time.
    var isTrial: Bool { trials > 0 }

    /// The pointer to the current value.
    var location: JSONPointer { JSONPointer(instancePath) }

    /// Reports a violation. `path` leads from the node to the keyword, and `token` from the current value to the
    /// invalid one.
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
        if told.insert(ReportedViolation(violation)).inserted { violations.append(violation) }
    }
}

/// The parts of a violation that a reader sees, to avoid reporting the same twice.
private struct ReportedViolation: Hashable {
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
    /// Returns the violation reworded for the key instead of the value.
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
    /// Whether the value contains more than `limit` values, including itself. It examines no more than that.
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
