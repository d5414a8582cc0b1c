/// A regular expression of ECMA-262 with its `u` flag, as JSON Schema's `pattern` and `patternProperties` have it.
///
/// Swift's `Regex` has other ideas of `\d`, `\w`, `\s` and `$`, may take exponential time, and cannot be shared between
/// threads. This one takes time linear in the string. With back references or look-around that does not hold; there a
/// budget bounds the work.
struct ECMAScriptPattern: Sendable {
    /// The pattern as it was written.
    let source: String
    private let program: PatternProgram

    /// Compiles a pattern.
    init(_ source: String) throws(ECMAScriptPatternError) {
        self.source = source
        var parser = PatternParser(source)
        let syntax = try parser.parse()
        var compiler = PatternCompiler(tracksCaptures: parser.hasBackreferences)
        program = try compiler.compile(syntax, groups: parser.groupCount)
    }

    /// Whether the pattern is found anywhere in a string; `false` as well where the budget is exhausted.
    func matches(_ string: String, budget: inout PatternBudget) -> Bool {
        var string = string
        return string.withUTF8 { matches($0, budget: &budget) }
    }

    /// Whether the pattern is found anywhere in a string in UTF-8; `false` as well where the budget is exhausted.
    func matches(_ text: UnsafeBufferPointer<UInt8>, budget: inout PatternBudget) -> Bool {
        PatternMatcher.finds(program, in: text, budget: &budget)
    }
}

/// The work that patterns may take in one evaluation of a schema, in all its strings together.
struct PatternBudget: Sendable {
    /// The steps left for patterns with back references or look-around: less than a second's work in a release build.
    private var steps = 5_000_000

    /// Whether a pattern needed more than there was. Its verdict means nothing.
    private(set) var isExhausted = false

    /// Takes one step.
    ///
    /// - Returns: Whether there was one.
    mutating func spendStep() -> Bool {
        steps -= 1
        if steps < 0 { isExhausted = true }
        return steps >= 0
    }

    /// Marks the budget as exhausted.
    mutating func exhaust() { isExhausted = true }
}

/// Why a pattern cannot be compiled.
struct ECMAScriptPatternError: Error, Equatable {
    /// What is wrong, and at which character of the pattern.
    let message: String
}
