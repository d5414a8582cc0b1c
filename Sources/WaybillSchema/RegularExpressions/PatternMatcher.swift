import WaybillJSON

/// Runs a pattern's program over the UTF-8 of a string, and backtracks when a branch fails.
///
/// A choice that failed at a position would fail there again, so it is marked and never tried twice: time is linear in
/// the length of the string. With backreferences or look-around that does not hold; there the number of steps limits
/// the work.
struct PatternMatcher {
    /// The range of a match in bytes, and its first group if that took part and is recorded.
    struct Match {
        let range: Range<Int>
        let firstGroup: Range<Int>?

        /// Returns the text of the first group, or the whole match if no group took part in it.
        func capture(in text: [UInt8]) -> String {
            String(decoding: text[firstGroup ?? range], as: UTF8.self)
        }
    }

    /// The maximum number of marks in one block of memory (32 MB).
    private static let maximumMarks = 1 << 28
    /// The instructions after which the time is checked.
    private static let workBetweenChecks = 1 << 16

    private let program: PatternProgram
    private let bytes: [UInt8]
    private let isWhole: Bool
    private var slots: [Int]
    private var steps: Int
    private var countsSteps: Bool
    /// The instructions executed since the time was checked, from all starts.
    private var work = 0
    /// The marks for a string so long that they do not fit into one block. Steps are counted then, so the marks stay
    /// few.
    private var sparseMarks: Set<Int> = []

    /// Finds the leftmost match that starts at or after a position, or a match of the whole string.
    ///
    /// - Parameter steps: The remaining work; negative afterwards if it was not enough.
    static func match(
        _ program: PatternProgram,
        in bytes: [UInt8],
        from start: Int = 0,
        isWhole: Bool,
        steps: inout Int
    ) -> Match? {
        var matcher = PatternMatcher(program, bytes, isWhole, steps)
        defer { steps = matcher.steps }
        var marks = matcher.marks(for: 0)
        var start = start
        while true {
            if let end = matcher.run(0, from: start, &marks) { return matcher.match(start..<end) }
            if isWhole || program.isAnchored || start >= bytes.count || matcher.steps < 0 { return nil }
            let next = program.nextStart(after: start, in: bytes)
            // Skipping bytes costs less than a step.
            if matcher.countsSteps { matcher.steps -= (next - start) / 8 }
            start = next
        }
    }

    private init(_ program: PatternProgram, _ bytes: [UInt8], _ isWhole: Bool, _ steps: Int) {
        self.program = program
        self.bytes = bytes
        self.isWhole = isWhole
        self.steps = steps
        countsSteps = program.countsSteps
        slots = Array(repeating: -1, count: program.slotCount)
    }

    private func match(_ range: Range<Int>) -> Match {
        guard slots.count > 3, slots[2] >= 0, slots[3] >= slots[2] else { return Match(range: range, firstGroup: nil) }
        return Match(range: range, firstGroup: slots[2]..<slots[3])
    }

    /// Counts a step. Returns false if there are no more, or if the task must stop: nobody waits for the result then.
    private mutating func spendStep() -> Bool {
        if countsSteps { steps -= 1 }
        work += 1
        if work >= Self.workBetweenChecks {
            work = 0
            if WorkLimit.isReached { steps = -1 }
        }
        return steps >= 0
    }

    /// A branch not taken yet, or (with a negative instruction) the earlier value of a slot.
    private struct Choice {
        let instruction: Int
        let position: Int
    }

    /// Returns unset marks for a routine; none if they would not fit into a block.
    private mutating func marks(for routine: Int) -> [UInt64] {
        let count = program.hasBackreferences ? 0 : program.routines[routine].markCount * (bytes.count + 1)
        guard count > Self.maximumMarks else {
            // A look-around has marks for the whole string, each time.
            work += count / 512
            return Array(repeating: 0, count: (count + 63) / 64)
        }
        countsSteps = true
        if routine != 0 { steps = -1 }
        return []
    }

    /// Runs a routine from a position.
    ///
    /// - Returns: The end of its match.
    private mutating func run(_ number: Int, from start: Int, _ marks: inout [UInt64]) -> Int? {
        let routine = program.routines[number]
        var choices: [Choice] = []
        var instruction = 0
        var position = start
        while true {
            guard spendStep() else { return nil }
            switch step(routine, instruction, position, &choices, &marks) {
            case .continues(let next, let following):
                instruction = next
                position = following
            case .matches:
                return position
            case .fails:
                guard let choice = lastChoice(&choices) else { return nil }
                instruction = choice.instruction
                position = choice.position
            }
        }
    }

    private enum Outcome {
        case continues(Int, Int)
        case matches
        case fails
    }

    private mutating func step(
        _ code: PatternProgram.Routine,
        _ instruction: Int,
        _ position: Int,
        _ choices: inout [Choice],
        _ marks: inout [UInt64]
    ) -> Outcome {
        let next = instruction + 1
        switch code.instructions[instruction] {
        case .scalar(let wanted):
            guard let (value, following) = read(position, code.isBackward), value == wanted else { return .fails }
            return .continues(next, following)
        case .set(let set):
            guard let (value, following) = read(position, code.isBackward), program.sets[set].contains(value) else {
                return .fails
            }
            return .continues(next, following)
        case .split(let first, let second, let mark):
            var position = position
            while true {
                guard isNew(mark, position, code, &marks) else { return .fails }
                if isHopeless(first, position, code) { return .continues(second, position) }
                guard isHopeless(second, position, code) else {
                    choices.append(Choice(instruction: second, position: position))
                    return .continues(first, position)
                }
                guard spendStep() else { return .fails }
                // A loop over the characters of one set continues here as long as nothing else can follow.
                guard case .set = code.instructions[first], case .jump(instruction) = code.instructions[first + 1],
                    let (_, next) = read(position, code.isBackward)
                else { return .continues(first, position) }
                position = next
            }
        case .jump(let target):
            return .continues(target, position)
        case .start:
            return position == 0 ? .continues(next, position) : .fails
        case .end:
            return position == bytes.count ? .continues(next, position) : .fails
        case .wordBoundary(let isNegated):
            let isBoundary = isWord(read(position, true)?.value) != isWord(read(position, false)?.value)
            return isBoundary != isNegated ? .continues(next, position) : .fails
        case .lookAround(let other, let isNegated):
            let before = slots
            var marks = self.marks(for: other)
            let isFound = run(other, from: position, &marks) != nil
            if isNegated || !isFound { slots = before } else { keep(before, &choices) }
            return isFound != isNegated ? .continues(next, position) : .fails
        case .save(let slot):
            set(slot, to: position, &choices)
            return .continues(next, position)
        case .progress(let slot):
            return slots[slot] != position ? .continues(next, position) : .fails
        case .clear(let range):
            for slot in range { set(slot, to: -1, &choices) }
            return .continues(next, position)
        case .backreference(let group):
            return backreference(group, position, code.isBackward).map { .continues(next, $0) } ?? .fails
        case .match:
            return isWhole && position != bytes.count ? .fails : .matches
        }
    }

    // MARK: Choices

    private mutating func isNew(
        _ mark: Int,
        _ position: Int,
        _ code: PatternProgram.Routine,
        _ marks: inout [UInt64]
    ) -> Bool {
        if program.hasBackreferences { return true }
        let bit = position * code.markCount + mark
        if marks.isEmpty { return sparseMarks.insert(bit).inserted }
        let mask: UInt64 = 1 << UInt64(bit % 64)
        defer { marks[bit / 64] |= mask }
        return marks[bit / 64] & mask == 0
    }

    /// Whether an instruction is certain to fail at a position, so that it need not be kept as a choice.
    private func isHopeless(_ instruction: Int, _ position: Int, _ code: PatternProgram.Routine) -> Bool {
        switch code.instructions[instruction] {
        case .scalar(let wanted): read(position, code.isBackward)?.value != wanted
        case .set(let set): !(read(position, code.isBackward).map { program.sets[set].contains($0.value) } ?? false)
        case .end: position != bytes.count
        default: false
        }
    }

    private mutating func lastChoice(_ choices: inout [Choice]) -> Choice? {
        while let choice = choices.popLast() {
            if choice.instruction >= 0 { return choice }
            slots[-1 - choice.instruction] = choice.position
        }
        return nil
    }

    private mutating func set(_ slot: Int, to position: Int, _ choices: inout [Choice]) {
        choices.append(Choice(instruction: -1 - slot, position: slots[slot]))
        slots[slot] = position
    }

    /// Records the changes of a look-around, so that backtracking undoes them.
    private func keep(_ before: [Int], _ choices: inout [Choice]) {
        for slot in slots.indices where slots[slot] != before[slot] {
            choices.append(Choice(instruction: -1 - slot, position: before[slot]))
        }
    }

    // MARK: Characters

    /// Returns the scalar after or before a position, and the position on its other side.
    private func read(_ position: Int, _ isBackward: Bool) -> (value: UInt32, next: Int)? {
        if isBackward {
            guard position > 0 else { return nil }
            var start = position - 1
            while start > 0, bytes[start] & 0xC0 == 0x80 { start -= 1 }
            return read(start, false).map { ($0.value, start) }
        }
        guard position < bytes.count else { return nil }
        let first = UInt32(bytes[position])
        if first < 0x80 { return (first, position + 1) }
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard position + length <= bytes.count else { return nil }
        var value = first & (0xFF >> UInt32(length + 1))
        for byte in bytes[(position + 1)..<(position + length)] { value = value << 6 | UInt32(byte & 0x3F) }
        return (value, position + length)
    }

    private func isWord(_ value: UInt32?) -> Bool {
        value.map { CharacterClass.wordCharacters.contains($0) } ?? false
    }

    /// Returns where the text of a group ends if it occurs again at a position; a group that matched nothing is empty.
    private mutating func backreference(_ group: Int, _ position: Int, _ isBackward: Bool) -> Int? {
        let (start, end) = (slots[2 * group], slots[2 * group + 1])
        guard start >= 0, end >= start else { return position }
        let target = isBackward ? position - (end - start) : position
        guard target >= 0, target + (end - start) <= bytes.count else { return nil }
        // A long text takes as much work as many instructions.
        let cost = (end - start) / 16
        work += cost
        if countsSteps { steps -= cost }
        guard bytes[target..<target + (end - start)].elementsEqual(bytes[start..<end]) else { return nil }
        return isBackward ? target : target + (end - start)
    }
}

extension PatternProgram {
    /// Returns the next position at which the pattern may start to match; the end of the string is always one.
    fileprivate func nextStart(after position: Int, in bytes: [UInt8]) -> Int {
        var next = position + 1
        if case .scalar(let first)? = routines[0].instructions.first, first < 128 {
            while next < bytes.count, bytes[next] != first { next += 1 }
        } else {
            while next < bytes.count, bytes[next] & 0xC0 == 0x80 { next += 1 }
        }
        return next
    }
}
