import WaybillJSON

extension Expression {
    /// Returns the values that made a condition false: for each comparison that decides it, the values on both sides
    /// that are not literals, as in `status is 404`. Returns `nil` if there are none.
    ///
    /// Values computed from a secret are left out, and long values are truncated.
    package func falsifyingValues(in scope: EvaluationScope) -> String? {
        var finder = FalsifyingValues(expression: self, evaluator: Evaluator(scope))
        let found = finder.values(of: compiled)
        return found.isEmpty ? nil : found.joined(separator: ", ")
    }
}

/// Finds the values that make a condition false.
private struct FalsifyingValues {
    private static let longestValue = 120

    let expression: Expression
    var evaluator: Evaluator

    mutating func values(of expression: CompiledExpression) -> [String] {
        switch expression.kind {
        case .logical(.and, let parts):
            // The first operand that does not hold decides.
            for part in parts where (try? evaluator.truth(part, at: nil)) == false { return values(of: part) }
            return []
        case .logical(.or, let parts): return parts.flatMap { values(of: $0) }
        case .comparison(_, let left, let right): return [left, right].compactMap { value_(of: $0) }
        case .pattern(_, let subject, _): return [subject].compactMap { value_(of: $0) }
        case .not(let inside): return values(of: inside)
        default: return []
        }
    }

    private mutating func value_(of side: CompiledExpression) -> String? {
        if case .constant = side.kind { return nil }
        guard let found = try? evaluator.value(side, at: nil), !found.isSecret else { return nil }
        return "\(part(side.range)) is \(shown(found.json))"
    }

    private func part(_ range: Range<Int>) -> String {
        let start = range.lowerBound - expression.range.lowerBound
        return String(decoding: expression.text.utf8.dropFirst(start).prefix(range.count), as: UTF8.self)
    }

    private func shown(_ value: JSON) -> String {
        JSONWriter().excerpt(of: value, Self.longestValue)
    }
}
