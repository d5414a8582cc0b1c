import WaybillJSON

/// Arithmetic on JSON numbers: exact for 64-bit integers, in double precision otherwise. An integer operand or result that
/// does not fit into 64 bits is an error.
enum Arithmetic {
    /// Returns the result of an operator. The remainder has the sign of the dividend.
    static func compute(
        _ sign: ArithmeticOperator,
        _ left: JSONNumber,
        _ right: JSONNumber
    ) throws(EvaluationError) -> JSONNumber {
        if let left = left.int, let right = right.int {
            if let exact = try exact(sign, left, right) { return exact }
        } else if isLarge(left) || isLarge(right) {
            throw EvaluationError(.value, "cannot compute exactly with an integer that does not fit into 64 bits")
        }
        return try inexact(sign, left.double, right.double)
    }

    private static func exact(
        _ sign: ArithmeticOperator,
        _ left: Int,
        _ right: Int
    ) throws(EvaluationError) -> JSONNumber? {
        let (value, overflow): (Int, Bool)
        switch sign {
        case .plus: (value, overflow) = left.addingReportingOverflow(right)
        case .minus: (value, overflow) = left.subtractingReportingOverflow(right)
        case .times: (value, overflow) = left.multipliedReportingOverflow(by: right)
        case .divide, .remainder:
            if right == 0 { throw EvaluationError(.value, "division by 0") }
            // Only Int.min divided by -1 overflows; its remainder is still 0.
            let remainder = left.remainderReportingOverflow(dividingBy: right).partialValue
            if sign == .remainder { return JSONNumber(remainder) }
            if remainder != 0 { return nil }
            (value, overflow) = left.dividedReportingOverflow(by: right)
        }
        if overflow { throw EvaluationError(.value, "the result does not fit into 64 bits") }
        return JSONNumber(value)
    }

    private static func inexact(
        _ sign: ArithmeticOperator,
        _ left: Double,
        _ right: Double
    ) throws(EvaluationError) -> JSONNumber {
        if right == 0, sign == .divide || sign == .remainder {
            throw EvaluationError(.value, "division by 0")
        }
        let value =
            switch sign {
            case .plus: left + right
            case .minus: left - right
            case .times: left * right
            case .divide: left / right
            case .remainder: left.truncatingRemainder(dividingBy: right)
            }
        guard let number = JSONNumber(value) else {
            throw EvaluationError(.value, "the result is too large for a number in double precision")
        }
        return number
    }

    /// Whether a number is written as an integer but does not fit into 64 bits.
    private static func isLarge(_ number: JSONNumber) -> Bool {
        number.int == nil && number.text.utf8.allSatisfy { ExpressionParser.isDigit($0) || $0 == UInt8(ascii: "-") }
    }
}
