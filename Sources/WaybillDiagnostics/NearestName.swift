/// Finds the name that was probably meant, for “did you mean …?”.
package enum NearestName {
    /// The candidate closest to a name, if one is close enough to be a plausible slip of the keyboard.
    ///
    /// Closeness is the optimal string alignment distance (insertions, deletions, substitutions and swaps of neighbours
    /// count one each) over lower-cased code points; a third of the name's length may differ. Among equals the first
    /// candidate wins.
    package static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = letters(of: name)
        let profile = Profile(wanted)
        var distance = AlignmentDistance(to: wanted)
        // The greatest distance that is still of interest: it shrinks with every candidate that is closer.
        var limit = max(1, (wanted.count + 1) / 3)
        var best: String?
        for candidate in candidates where candidate != name {
            let count = candidate.utf8.count
            // A code point has at most four bytes, so most candidates are out of the question by their length alone.
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

    /// How many code points of a name are looked at.
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

/// How often each letter occurs, which bounds the distance of two names from below.
private struct Profile {
    private let counts: [Int]
    private let total: Int

    init(_ letters: [Unicode.Scalar]) {
        var counts = [Int](repeating: 0, count: 64)
        for letter in letters { counts[Int(letter.value & 63)] += 1 }
        self.counts = counts
        total = letters.count
    }

    /// A distance that the name has at least: the letters of the longer one that the other lacks.
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

/// The optimal string alignment distance to one name, with the space for it kept.
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

    /// The distance, or any number above the limit where it is greater.
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
            // No number in later rows is less than the least of two rows that follow one another.
            if min(leastBefore, leastOfRow) > limit { return limit + 1 }
            leastBefore = leastOfRow
            swap(&beforeLast, &last)
            swap(&last, &current)
        }
        return last[right.count]
    }
}
