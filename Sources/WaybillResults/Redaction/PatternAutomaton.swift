/// Finds many byte patterns in one pass over a text (the Aho–Corasick automaton).
///
/// Bytes that differ only between spellings of one value are treated as equal: `+`, `-` and space (a form writes a
/// space as `+`, and the URL-safe alphabet of Base64 has `-` for `+`), and `/` and `_`. As a consequence, a secret
/// `a-b` also hides `a b`.
///
/// States are stored sparsely, because nearly all have one successor: about 24 bytes per byte of pattern.
struct PatternAutomaton: Sendable {
    /// A sequence of bytes to find.
    struct Pattern {
        var bytes: [UInt8]
        /// Whether the Base64 characters before and after a match also contain a few bits of the value.
        var reachesBefore = false, reachesAfter = false
    }

    private struct State {
        var byte: UInt8
        var reachesBefore = false, reachesAfter = false
        var firstChild: Int32 = 0, nextSibling: Int32 = 0
        /// The state of the longest proper suffix that is the start of a pattern.
        var suffix: Int32 = 0
        /// The length of the longest pattern that ends here; 0 if none does.
        var matchLength: Int32 = 0
        /// The number of bytes from the start of the patterns to here.
        var depth: Int32 = 0
    }

    /// How many bytes of a pattern must precede a cut to be a match.
    private static let shortestPart = 4
    /// The maximum length of an escape that a cut leaves incomplete.
    private static let longestEscape = 10
    /// The characters at a cut: excerpts end with `…`, before which a character that was cut itself is U+FFFD.
    private static let cutMarks = ["…", "\u{FFFD}"].map { Array($0.utf8) }

    private static let root: Int32 = 0
    private var states = [State(byte: 0)]
    // For each byte, whether a match or what else is searched for may start with it.
    private var mayStart: [Bool] = []
    private var successorsOfRoot = [Int32](repeating: 0, count: 256)

    /// Creates the automaton of some patterns; empty ones are ignored.
    init(_ patterns: some Sequence<Pattern>) {
        for pattern in patterns where !pattern.bytes.isEmpty { insert(pattern) }
        linkSuffixes()
        mayStart = (UInt8.min...UInt8.max).map { byte in
            byte >= 0x80 || Self.startsEscape(byte) || successorsOfRoot[Int(Self.folded(byte))] != Self.root
        }
    }

    /// Returns the ranges of a text that matches cover, in order. Overlapping ranges are merged. Where a text was cut, a
    /// match can be the start of a pattern.
    ///
    /// - Parameters:
    ///   - isCutAtEnd: Whether the text was also cut at its end. It was cut before every mark of a cut.
    ///   - limit: When the search stops.
    func matches(in text: [UInt8], isCutAtEnd: Bool, until limit: SearchLimit) throws(SearchStopped) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var state = Self.root
        // The last byte that may start an escape, and the state before it: a cut may leave the escape incomplete.
        var escape: (index: Int, state: Int32)?
        func addPart(before cut: Int) {
            var length = Int(states[Int(state)].depth)
            var start = cut - length
            if let escape, cut - escape.index <= Self.longestEscape {
                let before = Int(states[Int(escape.state)].depth)
                if before > length { (length, start) = (before, escape.index - before) }
            }
            guard length >= Self.shortestPart else { return }
            while let last = found.last, last.upperBound > start {
                start = min(start, last.lowerBound)
                found.removeLast()
            }
            found.append(start..<cut)
        }
        var (index, nextCheck) = (0, 0xFFFF)
        while true {
            if state == Self.root { index = firstStart(from: index, in: text) }
            guard index < text.count else { break }
            defer { index += 1 }
            if index >= nextCheck {
                nextCheck = index + 0xFFFF
                try limit.check()
            }
            if text[index] >= 0x80, Self.cutMarks.contains(where: text[index...].starts) { addPart(before: index) }
            if Self.startsEscape(text[index]) { escape = (index, state) }
            state = successor(of: state, by: Self.folded(text[index]))
            let reached = states[Int(state)]
            guard reached.matchLength > 0 else { continue }
            var start = index + 1 - Int(reached.matchLength)
            var end = index + 1
            if reached.reachesBefore, start > 0, Base64Patterns.isCharacter(text[start - 1]) { start -= 1 }
            if reached.reachesAfter, end < text.count, Base64Patterns.isCharacter(text[end]) {
                end += 1
                // The padding would reveal the length.
                while end < text.count, text[end] == UInt8(ascii: "="), end < index + 4 { end += 1 }
            }
            while let last = found.last, last.upperBound > start {
                start = min(start, last.lowerBound)
                end = max(end, last.upperBound)
                found.removeLast()
            }
            found.append(start..<end)
        }
        if isCutAtEnd { addPart(before: text.count) }
        return found
    }

    /// Returns the first index from which on a pattern, an escape or a mark of a cut may start. Most bytes of most texts
    /// start none: skipping them halves the time.
    private func firstStart(from index: Int, in text: [UInt8]) -> Int {
        var index = index
        while index < text.count, !mayStart[Int(text[index])] { index += 1 }
        return index
    }

    private static func startsEscape(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "&")
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "-"): UInt8(ascii: " ")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: byte
        }
    }

    private func successor(of state: Int32, by byte: UInt8) -> Int32 {
        var state = state
        while state != Self.root {
            let next = child(of: state, by: byte)
            if next != Self.root { return next }
            state = states[Int(state)].suffix
        }
        return successorsOfRoot[Int(byte)]
    }

    /// Returns the successor in the tree of patterns; the root if there is none.
    private func child(of state: Int32, by byte: UInt8) -> Int32 {
        if state == Self.root { return successorsOfRoot[Int(byte)] }
        var child = states[Int(state)].firstChild
        while child != Self.root, states[Int(child)].byte != byte { child = states[Int(child)].nextSibling }
        return child
    }

    private mutating func insert(_ pattern: Pattern) {
        var state = Self.root
        for byte in pattern.bytes.lazy.map(Self.folded) {
            var next = child(of: state, by: byte)
            if next == Self.root {
                next = Int32(states.count)
                states.append(
                    State(
                        byte: byte,
                        nextSibling: states[Int(state)].firstChild,
                        depth: states[Int(state)].depth + 1
                    )
                )
                states[Int(state)].firstChild = next
                if state == Self.root { successorsOfRoot[Int(byte)] = next }
            }
            state = next
        }
        states[Int(state)].matchLength = Int32(pattern.bytes.count)
        states[Int(state)].reachesBefore = states[Int(state)].reachesBefore || pattern.reachesBefore
        states[Int(state)].reachesAfter = states[Int(state)].reachesAfter || pattern.reachesAfter
    }

    /// Visits the states by their distance from the root, so that a suffix is complete before it is used.
    private mutating func linkSuffixes() {
        var queue = successorsOfRoot.filter { $0 != Self.root }
        var next = 0
        while next < queue.count {
            let state = queue[next]
            next += 1
            var child = states[Int(state)].firstChild
            while child != Self.root {
                let suffix = successor(of: states[Int(state)].suffix, by: states[Int(child)].byte)
                states[Int(child)].suffix = suffix
                inheritMatch(of: suffix, to: child)
                queue.append(child)
                child = states[Int(child)].nextSibling
            }
        }
    }

    private mutating func inheritMatch(of suffix: Int32, to state: Int32) {
        let inherited = states[Int(suffix)]
        guard inherited.matchLength > 0 else { return }
        if states[Int(state)].matchLength == 0 {
            states[Int(state)].matchLength = inherited.matchLength
            states[Int(state)].reachesBefore = inherited.reachesBefore
        }
        states[Int(state)].reachesAfter = states[Int(state)].reachesAfter || inherited.reachesAfter
    }
}
