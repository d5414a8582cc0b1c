/// A regular expression as instructions for `PatternMatcher`.
struct PatternProgram: Sendable {
    enum Instruction: Sendable {
        case scalar(UInt32)
        /// Matches a scalar of the set with an index.
        case set(Int)
        /// Continues at either of two instructions, preferring the first. `mark` numbers the splits of a routine.
        case split(Int, Int, mark: Int)
        case jump(Int)
        case start
        case end
        case wordBoundary(isNegated: Bool)
        case lookAround(routine: Int, isNegated: Bool)
        /// Stores the position in a slot.
        case save(Int)
        /// Fails if the position is still the one in the slot: an iteration that matched nothing.
        case progress(Int)
        /// Clears the slots of groups at the start of an iteration.
        case clear(Range<Int>)
        case backreference(Int)
        case match
    }

    /// The instructions of the whole pattern or of one look-around.
    struct Routine: Sendable {
        var instructions: [Instruction] = []
        /// Whether the string is read backwards, in a look-behind.
        var isBackward = false
        var markCount = 0
    }

    /// The first routine is the pattern's.
    var routines: [Routine] = []
    var sets: [CharacterClass] = []
    /// Two for each recorded group (and for the whole match) and one for each loop; most patterns have none.
    var slotCount = 0
    /// Whether a choice can depend on the text of groups, so that it may succeed where it failed before.
    var hasBackreferences = false
    /// Whether it has quantifiers that prefer few repetitions.
    var hasLazyQuantifiers = false
    /// Whether every step is counted: in I-Regexp, and if time can grow faster than the length of the string.
    var countsSteps = false
    /// Whether the pattern can match only at the start.
    var isAnchored = false
}
