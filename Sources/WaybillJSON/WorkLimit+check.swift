extension WorkLimit {
    /// The error message of a parser that stopped. The step reports its timeout instead.
    package static let message = "the time of the step has passed"

    /// Asks whether the limit is reached once for each 64 KiB that a parser has read, because asking takes longer than
    /// reading a value.
    package struct Check: Sendable {
        private var next = 0x1_0000
        private var done = 0

        /// Creates the check of a parser at the start of its bytes.
        package init() {}

        /// Whether the task must stop; if it must once, the result stays true.
        ///
        /// - Parameter position: The number of bytes, or of units that take about as long, that were read.
        @inline(__always)
        package mutating func isReached(at position: Int) -> Bool {
            position >= next && isReachedNow(at: position)
        }

        private mutating func isReachedNow(at position: Int) -> Bool {
            // A loop may only leave out the rest of its elements.
            if next < 0 { return true }
            let isReached = WorkLimit.isReached
            next = isReached ? -1 : position + 0x1_0000
            return isReached
        }

        /// Whether the task must stop, before more work of a size in these units.
        @inline(__always)
        package mutating func isReached(before units: Int) -> Bool {
            done += units
            return isReached(at: done)
        }
    }
}
