/// Finds out whether an endless sequence of texts, each of which decides the next, goes round in a circle.
///
/// The first texts are remembered by a hash of 64 bits, so that coming back to one of them is seen at once; from then on
/// the memory stays as it is and Brent's algorithm sees it later.
struct RepetitionDetector: Sendable {
    private let limit: Int
    private var hashes: Set<Int> = []
    /// A text to come back to, and how many have come since.
    private var landmark: Int?
    private var distance = 0
    private var power = 1

    /// A detector that remembers so many texts.
    init(remembering limit: Int = 65_536) {
        self.limit = limit
    }

    /// Whether the next text was there before.
    mutating func repeats(_ text: String) -> Bool {
        let hash = text.hashValue
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
