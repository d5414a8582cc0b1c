/// Compiles a parsed regular expression to a program. Counted repetitions are expanded.
struct PatternCompiler {
    /// The maximum number of instructions.
    private static let maximumSize = 20_000

    /// The last group whose match is recorded.
    private let lastNotedGroup: Int
    private var program = PatternProgram()
    private var size = 0
    /// The index of the routine that is being compiled.
    private var routine = 0

    static func compile(
        _ source: String,
        _ dialect: RegularExpression.Dialect
    ) throws(RegularExpressionError) -> PatternProgram {
        var parser = PatternParser(source, dialect)
        let syntax = try parser.parse()
        var compiler = PatternCompiler(parser)
        _ = try compiler.emitRoutine(syntax, isBackward: false)
        if case .start? = compiler.program.routines[0].instructions.first { compiler.program.isAnchored = true }
        if compiler.program.hasBackreferences || compiler.program.routines.count > 1 || dialect == .iRegexp {
            compiler.program.countsSteps = true
        }
        return compiler.program
    }

    private init(_ parser: PatternParser) {
        switch parser.dialect {
        case .ecmaScript: lastNotedGroup = parser.hasBackreferences ? parser.groupCount : 0
        case .iRegexp: lastNotedGroup = min(parser.groupCount, 1)
        }
        program.hasBackreferences = parser.hasBackreferences
        program.hasLazyQuantifiers = parser.hasLazyQuantifiers
        if lastNotedGroup > 0 || parser.hasBackreferences { program.slotCount = 2 * (lastNotedGroup + 1) }
    }

    private mutating func emitRoutine(_ syntax: PatternSyntax, isBackward: Bool) throws(RegularExpressionError) -> Int {
        let outer = routine
        let number = program.routines.count
        routine = number
        program.routines.append(PatternProgram.Routine(isBackward: isBackward))
        try emit(syntax)
        try add(.match)
        routine = outer
        return number
    }

    @discardableResult
    private mutating func add(_ instruction: PatternProgram.Instruction) throws(RegularExpressionError) -> Int {
        size += 1
        guard size <= Self.maximumSize else {
            throw RegularExpressionError(message: "its repetitions make it too large", offset: 0)
        }
        program.routines[routine].instructions.append(instruction)
        return program.routines[routine].instructions.count - 1
    }

    private var end: Int { program.routines[routine].instructions.count }

    private mutating func emit(_ syntax: PatternSyntax) throws(RegularExpressionError) {
        switch syntax {
        case .scalar(let value):
            try add(.scalar(value))
        case .set(let set):
            program.sets.append(set)
            try add(.set(program.sets.count - 1))
        case .sequence(let terms):
            if program.routines[routine].isBackward {
                for term in terms.reversed() { try emit(term) }
            } else {
                for term in terms { try emit(term) }
            }
        case .alternatives(let branches):
            try emitAlternatives(branches)
        case .capture(let number, let inner):
            guard number <= lastNotedGroup else { return try emit(inner) }
            let isBackward = program.routines[routine].isBackward
            try add(.save(2 * number + (isBackward ? 1 : 0)))
            try emit(inner)
            try add(.save(2 * number + (isBackward ? 0 : 1)))
        case .repetition(let inner, let least, let most, let isGreedy, let captures):
            try emitRepetition(inner, least, most, isGreedy, captures)
        case .start:
            try add(.start)
        case .end:
            try add(.end)
        case .wordBoundary(let isNegated):
            try add(.wordBoundary(isNegated: isNegated))
        case .lookAround(let inner, let isBackward, let isNegated):
            let other = try emitRoutine(inner, isBackward: isBackward)
            try add(.lookAround(routine: other, isNegated: isNegated))
        case .backreference(let number):
            try add(.backreference(number))
        }
    }

    private mutating func emitAlternatives(_ branches: [PatternSyntax]) throws(RegularExpressionError) {
        var exits: [Int] = []
        for (number, branch) in branches.enumerated() {
            let isLast = number == branches.count - 1
            let split = isLast ? nil : try addSplit()
            try emit(branch)
            if let split {
                exits.append(try add(.jump(0)))
                setSplit(split, split + 1, end)
            }
        }
        for exit in exits { program.routines[routine].instructions[exit] = .jump(end) }
    }

    private mutating func emitRepetition(
        _ inner: PatternSyntax,
        _ least: Int,
        _ most: Int?,
        _ isGreedy: Bool,
        _ captures: Range<Int>
    ) throws(RegularExpressionError) {
        for _ in 0..<least {
            let before = size
            try emitIteration(inner, captures)
            // A part that needs no instructions needs none in further repetitions either.
            if size == before { break }
        }
        if let most {
            var splits: [Int] = []
            for _ in least..<most {
                splits.append(try addSplit())
                try emitIteration(inner, captures)
            }
            for split in splits { setLoop(split, isGreedy) }
        } else {
            let split = try addSplit()
            var slot: Int?
            if program.hasBackreferences {
                slot = program.slotCount
                program.slotCount += 1
            }
            if let slot { try add(.save(slot)) }
            try emitIteration(inner, captures)
            if let slot { try add(.progress(slot)) }
            try add(.jump(split))
            setLoop(split, isGreedy)
        }
    }

    private mutating func emitIteration(
        _ inner: PatternSyntax,
        _ captures: Range<Int>
    ) throws(RegularExpressionError) {
        if program.hasBackreferences, !captures.isEmpty {
            try add(.clear(2 * captures.lowerBound..<2 * captures.upperBound))
        }
        try emit(inner)
    }

    private mutating func addSplit() throws(RegularExpressionError) -> Int {
        let mark = program.routines[routine].markCount
        program.routines[routine].markCount += 1
        return try add(.split(0, 0, mark: mark))
    }

    private mutating func setSplit(_ split: Int, _ first: Int, _ second: Int) {
        guard case .split(_, _, let mark) = program.routines[routine].instructions[split] else { return }
        program.routines[routine].instructions[split] = .split(first, second, mark: mark)
    }

    /// Sets the targets of a split: the iteration after it, and the position past the last instruction.
    private mutating func setLoop(_ split: Int, _ isGreedy: Bool) {
        let (inside, past) = (split + 1, end)
        if isGreedy { setSplit(split, inside, past) } else { setSplit(split, past, inside) }
    }
}
