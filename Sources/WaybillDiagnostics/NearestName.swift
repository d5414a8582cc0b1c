import Synchronization

/// Finds the name that was probably meant, for “did you mean …?”.
package enum NearestName {
    /// The maximum number of code points of a name that are compared.
    private static let maximumLength = 64
    /// The maximum number of candidates that are compared: each of thousands of errors may have thousands of candidates.
    private static let maximumCount = 1_000

    /// The number of pairs of code points that all searches together may still compare.
    private final class Budget: Sendable {
        let left = Mutex(100_000_000)
    }

    @TaskLocal private static var budget: Budget?

    /// Runs a function whose searches share one budget. Once it is used up, no name is suggested.
    package static func limited<Result>(_ body: () -> Result) -> Result { $budget.withValue(Budget()) { body() } }

    /// Returns the candidate closest to a name, if it is close enough for a plausible typing error.
    ///
    /// The distance may be at most a third of the name's length. Among equally close candidates, the first wins.
    /// Only the first 1,000 candidates are compared.
    package static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Letters(name)
        // The maximum distance of interest. It shrinks with every closer candidate.
        var limit = max(1, (wanted.all.count + 1) / 3)
        var best: String?
        for candidate in candidates.prefix(maximumCount) where candidate != name {
            let work = (wanted.all.count + 1) * min(candidate.utf8.count, maximumLength)
            if budget?.left.withLock({
                $0 -= work; return $0 < 0
            }) ?? false {
                return nil
            }
            let other = Letters(candidate)
            guard abs(other.all.count - wanted.all.count) <= limit, wanted.minimumDistance(to: other) <= limit else {
                continue
            }
            let found = distance(from: wanted.all, to: other.all, limit: limit)
            guard found <= limit, found < max(wanted.all.count, other.all.count) else { continue }
            best = candidate
            limit = found - 1
            if limit < 0 { break }
        }
        return best
    }

    /// The first code points of a name, in lower case.
    private struct Letters {
        var all: [UInt32] = []
        /// The residues of the code points that occur, one bit each.
        private var kinds: UInt64 = 0

        init(_ name: String) {
            let lowered = name.utf8.allSatisfy { $0 < 0x80 } ? name : name.lowercased()
            for scalar in lowered.unicodeScalars.prefix(maximumLength) {
                let letter = scalar.value + ("A"..."Z" ~= scalar ? 0x20 : 0)
                all.append(letter)
                kinds |= 1 << UInt64(letter & 63)
            }
        }

        /// A number that the distance is not less than: each change replaces one code point at most.
        func minimumDistance(to other: Letters) -> Int {
            max((kinds & ~other.kinds).nonzeroBitCount, (other.kinds & ~kinds).nonzeroBitCount)
        }
    }

    /// Returns the optimal string alignment distance of two names (insertions, deletions, substitutions and swaps of
    /// neighbours count one each), or any number above the limit if the distance is greater.
    private static func distance(from left: [UInt32], to right: [UInt32], limit: Int) -> Int {
        var last = Array(0...right.count)
        var (beforeLast, current) = (last, last)
        for row in left.indices {
            current[0] = row + 1
            for column in right.indices {
                let substitution = last[column] + (left[row] == right[column] ? 0 : 1)
                var minimum = min(substitution, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    minimum = min(minimum, beforeLast[column - 1] + 1)
                }
                current[column + 1] = minimum
            }
            // No number in later rows is less than the minimum of two consecutive rows.
            if min(last.min() ?? 0, current.min() ?? 0) > limit { return limit + 1 }
            (beforeLast, last, current) = (last, current, beforeLast)
        }
        return last[right.count]
    }
}
