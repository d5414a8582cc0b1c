/// A regular expression as instructions for `PatternMatcher`.
struct PatternProgram: Sendable {
    enum Instruction: Sendable {
        case scalar(UInt32)
        /// A scalar of a set, with the set's answers for ASCII at hand.
        case set(ASCIISet, Int)
        /// Two ways to go on, the first one first. `mark` numbers the instruction among its like.
        case split(Int, Int, mark: Int)
        case jump(Int)
        case start
        case end
        case wordBoundary(isNegated: Bool)
        case look(routine: Int, isNegated: Bool)
        /// Keeps the position in a slot.
        case save(Int)
        /// Fails if the position is still what the slot keeps: an iteration that took nothing.
        case progress(Int)
        /// Empties the slots of groups at the start of an iteration.
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
    /// Two for each group and one for each loop; none unless there are back references.
    var slotCount = 0
    /// Whether the time that it takes grows faster than the string: it has back references or look-around.
    var needsBudget: Bool { slotCount > 0 || routines.count > 1 }
    /// Whether the pattern can only be found at the start.
    var isAnchored = false
}
