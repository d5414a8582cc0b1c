/// Places in files, to ask whether others have something in common with them.
package struct SourceSpanSet: Sendable {
    /// By the file, the ranges in order; none has anything in common with another.
    private var ranges: [SourceFile: [Range<Int>]] = [:]

    /// No places.
    package init() {}

    /// Adds a place.
    package mutating func insert(_ span: SourceSpan) {
        var range = span.range
        var others = ranges.removeValue(forKey: span.file) ?? []
        var start = others.firstIndex(touching: range)
        while start < others.count, others[start].upperBound <= range.lowerBound, others[start] != range { start += 1 }
        var end = start
        while end < others.count, others[end].lowerBound < range.upperBound || others[end] == range {
            range = min(range.lowerBound, others[end].lowerBound)..<max(range.upperBound, others[end].upperBound)
            end += 1
        }
        others.replaceSubrange(start..<end, with: [range])
        ranges[span.file] = others
    }

    /// Adds the places of another set.
    package mutating func formUnion(_ other: SourceSpanSet) {
        for (file, ranges) in other.ranges {
            for range in ranges { insert(SourceSpan(file: file, range: range)) }
        }
    }

    /// Whether a place has something in common with one of these. An empty one is a part of what it touches.
    package func overlaps(_ span: SourceSpan) -> Bool {
        guard let ranges = ranges[span.file] else { return false }
        let range = span.range
        let first = ranges.firstIndex(touching: range)
        // Before one with bytes in common there may be one that ends where the place begins, and an empty one.
        return ranges[first...].prefix(3).contains { other in
            range.isEmpty || other.isEmpty
                ? range.lowerBound <= other.upperBound && other.lowerBound <= range.upperBound : range.overlaps(other)
        }
    }
}

extension [Range<Int>] {
    /// The index of the first of some ranges in order that does not end before another begins.
    fileprivate func firstIndex(touching range: Range<Int>) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].upperBound < range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
