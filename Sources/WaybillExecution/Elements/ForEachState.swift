import WaybillManifest

/// Decides which elements of a `forEach` are under way at once.
///
/// Element i begins only while i − (the first that has not ended) is less than the greater of 1,024 and 16 times the
/// concurrency, so that what has to be put in order is bounded too.
struct ForEachState: Sendable {
    private let count: Int
    private let concurrency: Int
    private let window: Int
    private let stopsAtFailure: Bool
    /// The first element that has not begun.
    private(set) var next = 0
    private(set) var underWay = 0
    private var isStopped = false
    /// The first element that has not ended.
    private(set) var firstUnfinished = 0
    /// Which elements from the first unfinished on have ended.
    private var ended: [Bool]

    /// The state before the first of so many elements.
    init(count: Int, concurrency: Int, mode: FailureMode) {
        self.count = count
        self.concurrency = max(1, concurrency)
        window = max(1024, 16 * self.concurrency)
        stopsAtFailure = mode == .stop
        ended = [Bool](repeating: false, count: min(window, count))
    }

    /// How many more may be under way.
    var freePlaces: Int { concurrency - underWay }

    /// The element that is to begin now, if one is.
    mutating func begin() -> Int? {
        guard !isStopped, next < count, underWay < concurrency, next - firstUnfinished < window else { return nil }
        underWay += 1
        next += 1
        return next - 1
    }

    /// Notes that an element has ended; `true` when all that are under way are to be cancelled.
    mutating func ended(_ element: Int, hasFailed: Bool) -> Bool {
        underWay -= 1
        // A ring: no two elements in the window have the same place.
        ended[element % ended.count] = true
        while firstUnfinished < next, ended[firstUnfinished % ended.count] {
            ended[firstUnfinished % ended.count] = false
            firstUnfinished += 1
        }
        guard hasFailed, stopsAtFailure, !isStopped else { return false }
        isStopped = true
        return true
    }

    /// Nothing more begins.
    mutating func stop() { isStopped = true }
}
