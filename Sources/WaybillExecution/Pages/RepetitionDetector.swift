import WaybillJSON

/// Detects cycles in an endless sequence of strings, each of which determines the next.
///
/// The first strings are remembered by their 64-bit hashes, so that a repetition of one of them is detected at once.
/// After that, memory use stays constant, and Brent's algorithm detects a cycle later.
struct RepetitionDetector: Sendable {
    private let limit: Int
    private var hashes: Set<Int> = []
    /// The hash of the string that Brent's algorithm compares with, and the number of strings since then.
    private var landmark: Int?
    private var distance = 0
    private var power = 1

    /// A detector that remembers up to a number of strings.
    init(remembering limit: Int = 65_536) {
        self.limit = limit
    }

    /// Adds the next string; returns whether it occurred before.
    mutating func repeats(_ text: String) -> Bool {
        let hash = CodePoints(text).hashValue
        if hashes.contains(hash) || hash == landmark { return true }
        if hashes.count < limit {
            hashes.insert(hash)
            return false
        }
        distance += 1
        if landmark == nil || distance == power {
            landmark = hash
            power *= 2
            distance = 0
        }
        return false
    }
}
