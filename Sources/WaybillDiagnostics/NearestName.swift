/// Finds the name that was probably meant, for “did you mean …?”.
package enum NearestName {
    /// The maximum number of code points of a name that are compared.
    private static let maximumLength = 64
    /// The maximum number of candidates that are compared: each of thousands of errors may have thousands of candidates.
    private static let maximumCount = 1_000

    /// Returns the candidate closest to a name, if it is close enough for a plausible typing error.
    ///
    /// The distance may be at most a third of the name's length. Among equally close candidates, the first wins.
    /// Only the first 1,000 candidates are compared.
    package static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = letters(of: name)
        // The maximum distance of interest. It shrinks with every closer candidate.
        var limit = max(1, (wanted.count + 1) / 3)
        var best: String?
        for candidate in candidates.prefix(maximumCount) where candidate != name {
            let other = letters(of: candidate)
            guard abs(other.count - wanted.count) <= limit else { continue }
            let found = distance(from: wanted, to: other, limit: limit)
            guard found <= limit, found < max(wanted.count, other.count) else { continue }
            best = candidate
            limit = found - 1
            if limit < 0 { break }
        }
        return best
    }

    /// The first code points of a name, in lower case.
    private static func letters(of name: String) -> [Unicode.Scalar] {
        Array(name.lowercased().unicodeScalars.prefix(maximumLength))
    }

    /// Returns the optimal string alignment distance of two names (insertions, deletions, substitutions and swaps of
    /// neighbours count one each), or any number above the limit if the distance is greater.
    private static func distance(from left: [Unicode.Scalar], to right: [Unicode.Scalar], limit: Int) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let substitution = last[column] + (left[row] == right[column] ? 0 : 1)
                var minimum = min(substitution, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    minimum = min(minimum, beforeLast[column - 1] + 1)
                }
                current.append(minimum)
            }
            // No number in later rows is less than the minimum of two consecutive rows.
            if min(last.min() ?? 0, current.min() ?? 0) > limit { return limit + 1 }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
