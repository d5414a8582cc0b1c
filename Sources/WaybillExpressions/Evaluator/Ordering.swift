package import WaybillJSON

/// The order of values (RFC 9535, section 2.3.5.2.2): numbers by value, strings by code points, nothing else.
enum Ordering {
    /// Whether a value is ordered before another; false if they have no order.
    static func isLess(_ left: JSON, _ right: JSON) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        // The order of UTF-8 bytes is the order of code points.
        case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        default: false
        }
    }

    /// Returns the result of a comparison; `nil` is a missing value.
    static func holds(_ sign: ComparisonOperator, _ left: JSON?, _ right: JSON?) -> Bool {
        switch sign {
        case .equal: left == right
        case .notEqual: left != right
        case .less: isLess(left, right)
        case .lessOrEqual: isLess(left, right) || left == right
        case .greater: isLess(right, left)
        case .greaterOrEqual: isLess(right, left) || left == right
        }
    }

    private static func isLess(_ left: JSON?, _ right: JSON?) -> Bool {
        guard let left, let right else { return false }
        return isLess(left, right)
    }
}

extension JSON {
    /// Whether a value is ordered before another (RFC 9535, section 2.3.5.2.2): numbers by value, strings by code
    /// points. All other values have no order.
    package static func precedes(_ left: JSON, _ right: JSON) -> Bool { Ordering.isLess(left, right) }
}
