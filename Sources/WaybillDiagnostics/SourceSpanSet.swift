/// A set of spans that can be checked for overlaps with others.
package struct SourceSpanSet: Sendable {
    /// The ranges of each file, in order and without overlaps.
    private var ranges: [SourceFile: [Range<Int>]] = [:]

    /// Creates an empty set.
    package init() {}

    /// Adds a span.
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

    /// Adds the spans of another set.
    package mutating func formUnion(_ other: SourceSpanSet) {
        for (file, ranges) in other.ranges {
            for range in ranges { insert(SourceSpan(file: file, range: range)) }
        }
    }

    /// Whether a span overlaps one of these. An empty span overlaps the spans that it touches.
    package func overlaps(_ span: SourceSpan) -> Bool {
        guard let ranges = ranges[span.file] else { return false }
        let range = span.range
        let first = ranges.firstIndex(touching: range)
        // A range with common bytes may come after one that ends where the span starts, and an empty one.
        return ranges[first...].prefix(3).contains { other in
            range.isEmpty || other.isEmpty
                ? range.lowerBound <= other.upperBound && other.lowerBound <= range.upperBound : range.overlaps(other)
        }
    }
}

extension [Range<Int>] {
    /// Returns the index of the first of some ordered ranges that does not end before another one starts.
    fileprivate func firstIndex(touching range: Range<Int>) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].upperBound < range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
