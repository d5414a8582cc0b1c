/// A compiled I-Regexp (RFC 9485): matching takes time proportional to the text, whatever the pattern.
///
/// `^` and `$` outside a class stand for the beginning and the end of the text; a literal dollar is `[$]`.
package struct IRegexp: Sendable {
    private let program: IRegexpProgram

    /// Compiles a pattern.
    package init(_ pattern: String) throws(IRegexpSyntaxError) {
        program = try IRegexpProgram(IRegexpParser.parse(pattern))
    }

    /// Whether the whole text matches.
    ///
    /// - Parameter steps: how much work is still allowed; less than zero afterwards if it was not enough.
    package func matches(_ text: String, steps: inout Int) -> Bool {
        run(text, isAnchored: true, steps: &steps) != nil
    }

    /// Whether some part of the text matches.
    package func occurs(in text: String, steps: inout Int) -> Bool {
        run(text, isAnchored: false, steps: &steps) != nil
    }

    /// What the first group holds in the leftmost match, or the whole of that match if no group took part in it.
    package func firstCapture(in text: String, steps: inout Int) -> String? {
        guard let places = run(text, isAnchored: false, wantsPlaces: true, steps: &steps) else { return nil }
        let whole = places.start..<places.end
        let group = places.groupStart >= 0 && places.groupEnd >= places.groupStart
        let range = group ? places.groupStart..<places.groupEnd : whole
        let utf8 = text.utf8
        let low = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        return String(text[low..<utf8.index(low, offsetBy: range.count)])
    }

    /// Byte offsets into the text; -1 where there is none.
    private struct Places {
        var start = -1
        var end = -1
        var groupStart = -1
        var groupEnd = -1
    }

    private struct Thread {
        var instruction: Int
        var places: Places
    }

    /// The threads of one place in the text, in order of preference, each instruction at most once.
    private struct Threads {
        var list: [Thread] = []
        var mark: [Int]
        var generation = 0

        init(size: Int) {
            mark = Array(repeating: -1, count: size)
        }

        mutating func clear() {
            list.removeAll(keepingCapacity: true)
            generation += 1
        }
    }

    /// Follows all alternatives side by side (after Rob Pike and Ken Thompson).
    private func run(_ text: String, isAnchored: Bool, wantsPlaces: Bool = false, steps: inout Int) -> Places? {
        let size = program.instructions.count
        var current = Threads(size: size)
        var following = Threads(size: size)
        var pending: [Thread] = []
        var found: Places?
        var offset = 0
        let end = text.utf8.count
        var scalars = text.unicodeScalars.makeIterator()
        steps -= size
        while true {
            let scalar = scalars.next()
            if found == nil, offset == 0 || !isAnchored {
                let start = Thread(instruction: 0, places: Places(start: offset))
                add(start, at: offset, of: end, to: &current, pending: &pending, steps: &steps)
            }
            if current.list.isEmpty, found != nil || isAnchored { return found }
            if steps < 0 { return nil }
            let width = scalar.map { UTF8.width($0) } ?? 0
            following.clear()
            search: for var thread in current.list {
                let matched =
                    switch program.instructions[thread.instruction] {
                    case .scalar(let wanted): scalar == wanted
                    case .set(let set): scalar.map(set.contains) ?? false
                    case .match: true
                    default: false
                    }
                guard matched else { continue }
                if case .match = program.instructions[thread.instruction] {
                    if isAnchored, offset != end { continue }
                    thread.places.end = offset
                    found = thread.places
                    if !wantsPlaces { return found }
                    break search
                }
                thread.instruction += 1
                add(thread, at: offset + width, of: end, to: &following, pending: &pending, steps: &steps)
            }
            swap(&current, &following)
            if scalar == nil { return found }
            offset += width
        }
    }

    /// Adds a thread and all that it reaches without reading, with a stack of its own: a pattern may have thousands.
    private func add(
        _ thread: Thread,
        at offset: Int,
        of end: Int,
        to threads: inout Threads,
        pending: inout [Thread],
        steps: inout Int
    ) {
        pending.append(thread)
        while var thread = pending.popLast() {
            guard threads.mark[thread.instruction] != threads.generation else { continue }
            threads.mark[thread.instruction] = threads.generation
            steps -= 1
            switch program.instructions[thread.instruction] {
            case .jump(let target):
                thread.instruction = target
                pending.append(thread)
            case .split(let preferred, let other):
                thread.instruction = other
                pending.append(thread)
                thread.instruction = preferred
                pending.append(thread)
            case .save(let slot):
                if slot == 0 { thread.places.groupStart = offset } else { thread.places.groupEnd = offset }
                thread.instruction += 1
                pending.append(thread)
            case .atStart where offset == 0, .atEnd where offset == end:
                thread.instruction += 1
                pending.append(thread)
            case .atStart, .atEnd: break
            case .scalar, .set, .match: threads.list.append(thread)
            }
        }
    }
}
