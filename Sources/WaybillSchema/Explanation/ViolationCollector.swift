import WaybillDiagnostics
import WaybillJSON

/// The violations found so far, and the position at which an evaluation searches for more.
final class ViolationCollector {
    private let program: SchemaProgram
    /// The number of violations after which evaluation stops.
    private let limit: Int
    private(set) var violations: [SchemaViolation] = []
    /// The locations and messages that a reader has seen, to avoid reporting the same twice.
    private var reported: Set<[CodePoints]> = []
    var position: Position
    /// Whether the current value is the name of the member at the instance path.
    private var isAtName = false
    /// The number of nested trials of alternatives to find the nearest.
    private var trials = 0
    /// The number of suggestions still allowed: an instance may have millions of violations, too many for anyone to
    /// read.
    private var suggestionsLeft = 1000

    init(_ program: SchemaProgram, limit: Int) {
        self.program = program
        self.limit = limit
        position = Position(node: program.node(0))
    }

    /// Whether no more violations are wanted.
    var isFull: Bool { violations.count >= limit }

    /// Whether alternatives are already being tried; nested trials would take exponential time.
    var isTrial: Bool { trials > 0 }

    /// Returns the violations that a function records, without keeping them.
    func trial(_ body: () -> Void) -> [SchemaViolation] {
        let before = (violations, reported)
        (violations, reported) = ([], [])
        trials += 1
        body()
        trials -= 1
        defer { (violations, reported) = before }
        return violations
    }

    /// Records the violations in the name of a member, reworded for the key instead of the value.
    func recordName(_ name: String, _ body: () -> Bool) -> Bool {
        let before = violations.count
        isAtName = true
        defer { isAtName = false }
        let isContinued = body()
        for index in violations.indices.dropFirst(before) {
            violations[index].message = "the key '\(name.excerpt(80))' \(violations[index].message)"
            guard case .notAllowedValue(let allowed) = violations[index].detail else { continue }
            violations[index].detail = .unknownName(name, known: allowed.compactMap(\.string))
            violations[index].message = "'\(name.excerpt(80))' is not a known key"
        }
        return isContinued
    }

    /// Returns the name among some names that another one probably meant.
    func suggestion(for name: String?, among names: [String]) -> String? {
        guard let name, suggestionsLeft > 0, names.count <= 1000 else { return nil }
        suggestionsLeft -= 1
        return NearestName.of(name, among: names)
    }

    /// Records a violation. `path` leads from the node to the keyword, and `token` from the current value to the
    /// invalid one.
    func record(
        _ path: [String],
        _ message: String,
        _ detail: SchemaViolation.Detail,
        at token: JSONPointer.Token?,
        concernsName: Bool,
        suggestion: String?
    ) {
        guard !isFull else { return }
        let schemaLocation = position.node.location
        let root = program.roots[schemaLocation.resource].tokens.count
        let inResource = schemaLocation.pointer.tokens.dropFirst(root) + path.map { .name($0) }
        let violation = SchemaViolation(
            instanceLocation: JSONPointer(position.instancePath + (token.map { [$0] } ?? [])),
            concernsName: concernsName || isAtName,
            keywordLocation: JSONPointer((position.keywordPath + path).map { .name($0) }),
            absoluteKeywordLocation: program.addresses[schemaLocation.resource] + "#\(JSONPointer(Array(inResource)))",
            keyword: path.first ?? "false",
            message: message,
            detail: detail,
            suggestion: suggestion,
            annotation: position.annotation
        )
        let words = ["\(violation.instanceLocation)", "\(violation.concernsName)", message].map { CodePoints($0) }
        if reported.insert(words).inserted { violations.append(violation) }
    }

    /// A position in the schema and in the instance.
    struct Position {
        fileprivate var node: SchemaNode
        fileprivate(set) var instancePath: [JSONPointer.Token] = []
        fileprivate var keywordPath: [String] = []
        /// The annotation of the references that led to the node.
        private var reference: JSONObject?

        fileprivate init(node: SchemaNode) {
            self.node = node
        }

        /// The `x-…` members of the node, overridden by those of the references that led to it.
        fileprivate var annotation: JSONObject? {
            guard var result = node.rules.annotation else { return reference }
            for (name, value) in reference ?? JSONObject() { result[name] = value }
            return result
        }

        /// Returns the position of a node that a keyword applies. `path` starts with the keyword.
        func descending(to node: SchemaNode, _ path: [String], at token: JSONPointer.Token?) -> Position {
            var next = self
            next.node = node
            next.keywordPath += path
            if path.first == "$ref" || path.first == "$dynamicRef" { next.reference = annotation }
            if let token {
                next.instancePath.append(token)
                next.reference = nil
            }
            return next
        }
    }
}
