package import WaybillJSON

extension ComparisonOperator {
    /// Returns the result of a comparison; `nil` is a missing value.
    func holds(_ left: JSON?, _ right: JSON?) -> Bool {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less: precedes(left, right)
        case .lessOrEqual: precedes(left, right) || left == right
        case .greater: precedes(right, left)
        case .greaterOrEqual: precedes(right, left) || left == right
        }
    }

    private func precedes(_ left: JSON?, _ right: JSON?) -> Bool {
        guard let left, let right else { return false }
        return JSON.precedes(left, right)
    }
}

extension JSON {
    /// Whether a value is ordered before another (RFC 9535, section 2.3.5.2.2): numbers by value, strings by code
    /// points. All other values have no order.
    package static func precedes(_ left: JSON, _ right: JSON) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        // The order of UTF-8 bytes is the order of code points.
        case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        default: false
        }
    }
}

extension [JSON] {
    /// Returns the indices in the order of the elements, which are all numbers or all strings. Those of equal elements
    /// keep their order.
    ///
    /// - Parameter mustStop: Whether to stop early. It is asked every few thousand steps.
    /// - Returns: `nil` if the sort was stopped.
    package func sortedIndices(isDescending: Bool = false, mustStop: () -> Bool) -> [Int]? {
        var isStopped = false
        var steps = 0
        // The sort is stable. The order of one that was stopped is not used.
        let order = indices.sorted { left, right in
            if isStopped { return false }
            steps += 1 + Cost.ofComparing(self[left], self[right])
            if steps >= ContinuationCheck.steps {
                steps = 0
                isStopped = mustStop()
            }
            return isDescending
                ? JSON.precedes(self[right], self[left]) : JSON.precedes(self[left], self[right])
        }
        return isStopped ? nil : order
    }
}
