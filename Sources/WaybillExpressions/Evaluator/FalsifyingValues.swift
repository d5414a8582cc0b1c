import WaybillJSON

extension Expression {
    /// Returns the values that made a condition false: those of the operands that decide it, unless they are literals, as in
    /// `status is 404` and `$.tags is ["a"]`, or why an operand does not exist. Returns `nil` if there are none.
    ///
    /// Values computed from a secret are left out, and long values are truncated.
    package func falsifyingValues(in scope: EvaluationScope) -> String? {
        var finder = FalsifyingValues(expression: self, evaluator: Evaluator(scope))
        var found: [String] = []
        for value in finder.values(of: compiled) where !found.contains(value) { found.append(value) }
        return found.isEmpty ? nil : found.joined(separator: ", ")
    }
}

/// Finds the values that make a condition false.
private struct FalsifyingValues {
    private static let longestValue = 120

    let expression: Expression
    var evaluator: Evaluator

    /// The values that decide a condition, whose own value is known.
    mutating func values(of condition: CompiledExpression) -> [String] {
        switch condition.kind {
        case .logical(.and, let parts):
            // The first operand that does not hold decides.
            for part in parts where (try? evaluator.truth(part, at: nil)) == false { return values(of: part) }
            return parts.flatMap { values(of: $0) }
        case .logical(.or, let parts): return parts.flatMap { values(of: $0) }
        case .comparison(_, let left, let right): return operands([left, right])
        case .call(_, let arguments): return operands(arguments)
        case .pattern(_, let subject, .constant): return operands([subject])
        case .pattern(_, let subject, .computed(let pattern)): return operands([subject, pattern])
        case .firstPresent(let choices): return operands(choices)
        case .not(let inside): return values(of: inside)
        case .presence(let inside): return [value_(of: inside, explainsAbsence: true)].compactMap { $0 }
        case .existence(let query):
            let path = CompiledExpression(kind: .query(query), type: .any, context: .plain, range: query.range)
            return [value_(of: path, explainsAbsence: true)].compactMap { $0 }
        case .conditional(let test, let then, let otherwise):
            let holds = (try? evaluator.truth(test, at: nil)) == true
            return values(of: test) + values(of: holds ? then : otherwise)
        case .constant, .query, .access, .arithmetic, .count, .onlyValue: return []
        }
    }

    /// The values of the operands. Those of a calculation are followed by the values that it is made from.
    private mutating func operands(_ operands: [CompiledExpression]) -> [String] {
        operands.flatMap { operand in
            let value = [value_(of: operand)].compactMap { $0 }
            if case .arithmetic = operand.kind { return value + terms(of: operand) }
            return value + (operand.type == .boolean ? values(of: operand) : [])
        }
    }

    /// The values that a calculation is made from.
    private mutating func terms(of calculation: CompiledExpression) -> [String] {
        guard case .arithmetic(_, let left, let right) = calculation.kind else {
            return [value_(of: calculation)].compactMap { $0 }
        }
        return terms(of: left) + terms(of: right)
    }

    /// Returns the value of a part; `nil` for a literal.
    ///
    /// - Parameter explainsAbsence: Whether to return why there is no value; otherwise `nil`.
    private mutating func value_(of side: CompiledExpression, explainsAbsence: Bool = false) -> String? {
        if case .constant = side.kind { return nil }
        do throws(EvaluationError) {
            guard let found = try evaluator.value(side, at: nil), !found.isSecret else { return nil }
            return "\(part(side.range)) is \(shown(found.json))"
        } catch {
            return explainsAbsence && error.kind != .limit ? error.message : nil
        }
    }

    private func part(_ range: Range<Int>) -> String {
        let start = range.lowerBound - expression.range.lowerBound
        return String(decoding: expression.text.utf8.dropFirst(start).prefix(range.count), as: UTF8.self)
    }

    private func shown(_ value: JSON) -> String {
        JSONWriter().excerpt(of: value, Self.longestValue)
    }
}
