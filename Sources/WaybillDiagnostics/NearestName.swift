/// Finds the name that was probably meant, for “did you mean …?”.
package enum NearestName {
    /// The candidate closest to a name, if one is close enough to be a plausible slip of the keyboard.
    ///
    /// Closeness is the optimal string alignment distance (insertions, deletions, substitutions and swaps of neighbours
    /// count one each) over lower-cased code points; a third of the name's length may differ. Among equals the first
    /// candidate wins.
    package static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased().unicodeScalars.prefix(64))
        let limit = max(1, (wanted.count + 1) / 3)
        var best: (name: String, distance: Int)?
        for candidate in candidates where candidate != name {
            let other = Array(candidate.lowercased().unicodeScalars.prefix(64))
            guard abs(other.count - wanted.count) <= limit else { continue }
            let distance = alignmentDistance(wanted, other)
            if distance <= limit, distance < max(wanted.count, other.count), distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.name
    }

    private static func alignmentDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 1..<(left.count + 1) {
            var current = [row] + Array(repeating: 0, count: right.count)
            for column in 1..<(right.count + 1) {
                let substitution = last[column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
                current[column] = min(substitution, last[column] + 1, current[column - 1] + 1)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    current[column] = min(current[column], beforeLast[column - 2] + 1)
                }
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
