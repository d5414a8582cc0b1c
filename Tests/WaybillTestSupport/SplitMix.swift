/// A small random number generator for tests (SplitMix64), which returns the same numbers for the same seed.
package struct SplitMix: Sendable {
    private var state: UInt64

    /// Creates a generator with a seed.
    package init(state: UInt64) {
        self.state = state
    }

    /// Returns a number from 0 up to, but not including, `bound`.
    package mutating func next(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }
}
