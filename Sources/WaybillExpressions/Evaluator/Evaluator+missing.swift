import WaybillDiagnostics
import WaybillJSON

/// Errors for a path that matches nothing: how far the path matched, and which names are available there.
extension Evaluator {
    /// Returns the error for segments that match nothing in a JSON value.
    func missing(
        _ path: CompiledPath,
        from count: Int,
        in start: JSON,
        isSecret: Bool,
        at range: Range<Int>
    ) -> EvaluationError {
        var value = start
        for (index, segment) in path.segments.enumerated().dropFirst(count) {
            if let next = Self.child(of: value, segment) {
                value = next
                continue
            }
            switch (segment, value) {
            case (.name, .object(let object)):
                // The names of a secret's members may be secret too.
                return missingMember(path, index, isSecret ? [] : object.names, at: range)
            case (.index, .array(let elements)):
                let elementCount = elements.count == 1 ? "1 element" : "\(elements.count) elements"
                return nothing(path, index, "\(path.prefix(index)) has \(elementCount)", at: range)
            default: return nothing(path, index, "\(path.prefix(index)) is \(value.kind.phrase)", at: range)
            }
        }
        return EvaluationError(.missing, "nothing matches \(path.text)", at: range)
    }

    private func nothing(_ path: CompiledPath, _ index: Int, _ why: String, at range: Range<Int>) -> EvaluationError {
        EvaluationError(.missing, "nothing matches \(path.prefix(index + 1)): \(why)", at: range)
    }

    /// Returns the error for a name that does not exist.
    func missingMember(
        _ path: CompiledPath,
        _ index: Int,
        _ names: [String],
        at range: Range<Int>
    ) -> EvaluationError {
        var message = "nothing matches \(path.prefix(index + 1))"
        if case .name(let name) = path.segments[index] { message += suggestion(name, names) }
        return EvaluationError(.missing, message, at: range)
    }

    /// Returns the error for a bare name that is not in the scope.
    func unknownName(
        _ name: String,
        _ query: CompiledQuery,
        _ context: CompiledExpression.Context
    ) -> EvaluationError {
        var message = "'\(name)' is not defined here"
        if name == "item" {
            message += ": 'item' is the element in map, where, sort and columns"
        } else {
            message += suggestion(name, scope.root.memberNames)
        }
        if context == .filter { message += " (a member of the element is @.\(name))" }
        return EvaluationError(context == .filter ? .unavailable : .missing, message, at: query.range)
    }

    /// Returns “; available: 'tokens', 'user'”: the existing names, the nearest first.
    private func suggestion(_ name: String, _ names: [String]) -> String {
        let pieces = name.split(separator: "-")
        for count in pieces.indices.dropFirst() where names.contains(pieces[..<count].joined(separator: "-")) {
            return "; to subtract, put spaces around '-'"
        }
        guard !names.isEmpty else { return "" }
        let nearest = NearestName.of(name, among: names)
        var shown = nearest.map { [$0] } ?? []
        for other in names where other != nearest && shown.count < 5 { shown.append(other) }
        let rest = names.count > shown.count ? " and \(names.count - shown.count) more" : ""
        return "; available: \(shown.map { "'\($0)'" }.joined(separator: ", "))\(rest)"
    }
}
