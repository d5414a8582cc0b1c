/// An I-Regexp as instructions for a machine that follows all alternatives at once.
struct IRegexpProgram: Sendable {
    enum Instruction: Sendable {
        case scalar(Unicode.Scalar)
        case set(ScalarSet)
        case atStart
        case atEnd
        /// Go on at both places, the first preferred.
        case split(Int, Int)
        case jump(Int)
        /// Note the place in the text: slot 0 where the first group begins, slot 1 where it ends.
        case save(Int)
        case match
    }

    private(set) var instructions: [Instruction] = []

    /// The greatest number of instructions, which bounds what `{n,m}` may unfold to.
    static let maximumSize = 5_000

    /// Compiles the parts of a pattern.
    init(_ syntax: IRegexpSyntax) throws(IRegexpSyntaxError) {
        try emit(syntax)
        try append(.match)
    }

    private mutating func append(_ instruction: Instruction) throws(IRegexpSyntaxError) {
        if instructions.count >= Self.maximumSize {
            throw IRegexpSyntaxError(message: "this pattern unfolds to more than \(Self.maximumSize) steps", offset: 0)
        }
        instructions.append(instruction)
    }

    private mutating func emit(_ syntax: IRegexpSyntax) throws(IRegexpSyntaxError) {
        switch syntax {
        case .scalar(let scalar): try append(.scalar(scalar))
        case .set(let set): try append(.set(set))
        case .start: try append(.atStart)
        case .end: try append(.atEnd)
        case .sequence(let parts):
            for part in parts { try emit(part) }
        case .group(1, let inside):
            try append(.save(0))
            try emit(inside)
            try append(.save(1))
        case .group(_, let inside): try emit(inside)
        case .choice(let branches): try emitChoice(branches)
        case .repetition(let part, let least, let most): try emitRepetition(part, least, most)
        }
    }

    private mutating func emitChoice(_ branches: [IRegexpSyntax]) throws(IRegexpSyntaxError) {
        var exits: [Int] = []
        for (index, branch) in branches.enumerated() {
            let split = instructions.count
            let isLast = index == branches.count - 1
            if !isLast { try append(.split(split + 1, 0)) }
            try emit(branch)
            if !isLast {
                exits.append(instructions.count)
                try append(.jump(0))
                instructions[split] = .split(split + 1, instructions.count)
            }
        }
        for exit in exits { instructions[exit] = .jump(instructions.count) }
    }

    private mutating func emitRepetition(
        _ part: IRegexpSyntax,
        _ least: Int,
        _ most: Int?
    ) throws(IRegexpSyntaxError) {
        for _ in 0..<least { try emit(part) }
        guard let most else {
            let split = instructions.count
            try append(.split(split + 1, 0))
            try emit(part)
            try append(.jump(split))
            instructions[split] = .split(split + 1, instructions.count)
            return
        }
        var splits: [Int] = []
        for _ in least..<most {
            splits.append(instructions.count)
            try append(.split(instructions.count + 1, 0))
            try emit(part)
        }
        for split in splits { instructions[split] = .split(split + 1, instructions.count) }
    }
}
