package import WaybillJSON

/// The integers that `range()` returns, computed on demand instead of stored.
package struct NumberRange: Sendable {
    /// The number of integers.
    package let count: Int

    private let start: Int
    private let step: Int

    /// Creates the range for the arguments of `range()`.
    init(_ arguments: [JSON]) throws(EvaluationError) {
        var bounds: [Int] = []
        for value in arguments {
            guard let bound = value.number?.int, bound.magnitude <= 1 << 53 else {
                throw EvaluationError(.value, "range() requires integers within ±2^53")
            }
            bounds.append(bound)
        }
        start = bounds.count > 1 ? bounds[0] : 0
        let end = bounds.count > 1 ? bounds[1] : bounds[0]
        step = bounds.count > 2 ? bounds[2] : 1
        if step == 0 { throw EvaluationError(.value, "the step of range() must not be 0") }
        if (end - start) / step > EvaluationLimits.rangeElements {
            throw EvaluationError(.limit, "range() returns at most \(EvaluationLimits.rangeElements) elements")
        }
        let distance = end - start
        count = max(0, (distance + step - step.signum()) / step)
    }

    /// Returns the number at an index.
    package subscript(index: Int) -> JSON { .number(JSONNumber(start + index * step)) }
}

extension Expression {
    /// Returns the numbers if the expression consists of a single call of `range()`, and `nil` otherwise. If the
    /// arguments are invalid, the result is `nil` too, and evaluating the expression reports why.
    package func numberRange(in scope: EvaluationScope) -> NumberRange? {
        guard case .call(let function, let arguments) = compiled.kind, function.name == "range" else { return nil }
        var evaluator = Evaluator(scope)
        let values = arguments.compactMap { try? evaluator.result($0).json }
        return values.count == arguments.count ? try? NumberRange(values) : nil
    }
}
