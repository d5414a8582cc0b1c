/// Finds the name that was probably meant, for “did you mean …?”.
package enum NearestName {
    /// Returns the candidate closest to a name, if it is close enough for a plausible typing error.
    ///
    /// The distance is the optimal string alignment distance (insertions, deletions, substitutions and swaps of
    /// neighbours count one each) over lower-cased code points. It may be at most a third of the name's length. Among
    /// equally close candidates, the first wins.
    package static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = letters(of: name)
        let profile = Profile(wanted)
        var distance = AlignmentDistance(to: wanted)
        // The maximum distance of interest. It shrinks with every closer candidate.
        var limit = max(1, (wanted.count + 1) / 3)
        var best: String?
        for candidate in candidates where candidate != name {
            let count = candidate.utf8.count
            // A code point has at most four bytes, so the byte length alone rules out most candidates.
            guard count + limit >= wanted.count, count <= 4 * (wanted.count + limit) || wanted.count == greatestLength
            else { continue }
            let other = letters(of: candidate)
            guard abs(other.count - wanted.count) <= limit, profile.leastDistance(to: other) <= limit else { continue }
            let found = distance.from(other, limit: limit)
            guard found <= limit, found < max(wanted.count, other.count) else { continue }
            best = candidate
            limit = found - 1
            if limit < 0 { break }
        }
        return best
    }

    /// The maximum number of code points of a name that are compared.
    private static let greatestLength = 64

    /// The first code points of a name, in lower case.
    private static func letters(of name: String) -> [Unicode.Scalar] {
        var name = name
        let ascii: [Unicode.Scalar]? = name.withUTF8 { bytes in
            guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
            return bytes.prefix(greatestLength).map { Unicode.Scalar((0x41...0x5A).contains($0) ? $0 | 0x20 : $0) }
        }
        return ascii ?? Array(name.lowercased().unicodeScalars.prefix(greatestLength))
    }
}

/// The number of occurrences of each letter, which gives a lower bound for the distance of two names.
private struct Profile {
    private let counts: [Int]
    private let total: Int

    init(_ letters: [Unicode.Scalar]) {
        var counts = [Int](repeating: 0, count: 64)
        for letter in letters { counts[Int(letter.value & 63)] += 1 }
        self.counts = counts
        total = letters.count
    }

    /// Returns a lower bound for the distance: the number of letters of the longer name that are missing in the other.
    func leastDistance(to letters: [Unicode.Scalar]) -> Int {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 64) { rest in
            _ = rest.initialize(from: counts)
            var shared = 0
            for letter in letters {
                let slot = Int(letter.value & 63)
                if rest[slot] > 0 { shared += 1 }
                rest[slot] -= 1
            }
            return max(total, letters.count) - shared
        }
    }
}

/// Computes the optimal string alignment distance to one name, reusing its buffers.
private struct AlignmentDistance {
    private let right: [Unicode.Scalar]
    private var beforeLast: [Int]
    private var last: [Int]
    private var current: [Int]

    init(to name: [Unicode.Scalar]) {
        right = name
        beforeLast = Array(repeating: 0, count: name.count + 1)
        last = beforeLast
        current = beforeLast
    }

    /// Returns the distance, or any number above the limit if the distance is greater.
    mutating func from(_ left: [Unicode.Scalar], limit: Int) -> Int {
        for column in 0...right.count { last[column] = column }
        var leastBefore = 0
        for row in 0..<left.count {
            current[0] = row + 1
            var leastOfRow = row + 1
            for column in 0..<right.count {
                let substitution = last[column] + (left[row] == right[column] ? 0 : 1)
                var least = min(substitution, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current[column + 1] = least
                leastOfRow = min(leastOfRow, least)
            }
            // No number in later rows is less than the minimum of two consecutive rows.
            if min(leastBefore, leastOfRow) > limit { return limit + 1 }
            leastBefore = leastOfRow
            swap(&beforeLast, &last)
            swap(&last, &current)
        }
        return last[right.count]
    }
}
