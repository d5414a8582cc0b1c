import WaybillManifest

/// Decides which elements of a `forEach` run at once.
///
/// Element i starts only while i − f < max(1,024, 16 × concurrency), where f is the first element that has not
/// finished. This limits how many results have to be put in order.
struct ForEachState: Sendable {
    private let end: Int
    private let concurrency: Int
    private let window: Int
    private let stopsAtFailure: Bool
    /// The first element that has not started.
    private(set) var next: Int
    private(set) var running = 0
    private var isStopped = false
    /// The first element that has not finished.
    private(set) var firstUnfinished: Int
    /// Whether each element in the window has finished, in a ring buffer.
    private var ended: [Bool]

    /// The state before the first element.
    ///
    /// - Parameter elements: The indices of the elements to execute.
    init(_ elements: Range<Int>, concurrency: Int, mode: FailureMode) {
        (next, firstUnfinished, end) = (elements.lowerBound, elements.lowerBound, elements.upperBound)
        self.concurrency = max(1, concurrency)
        window = max(1024, 16 * self.concurrency)
        stopsAtFailure = mode == .stop
        ended = [Bool](repeating: false, count: min(window, elements.count))
    }

    /// How many more elements may run.
    var freeSlots: Int { concurrency - running }

    /// The element to start now, if any.
    mutating func start() -> Int? {
        guard !isStopped, next < end, running < concurrency, next - firstUnfinished < window else { return nil }
        running += 1
        next += 1
        return next - 1
    }

    /// Notes that an element has finished; returns whether the running elements must be cancelled.
    mutating func finished(_ element: Int, hasFailed: Bool) -> Bool {
        running -= 1
        // No two elements in the window have the same index in the ring buffer.
        ended[element % ended.count] = true
        while firstUnfinished < next, ended[firstUnfinished % ended.count] {
            ended[firstUnfinished % ended.count] = false
            firstUnfinished += 1
        }
        guard hasFailed, stopsAtFailure, !isStopped else { return false }
        isStopped = true
        return true
    }

    /// Starts no more elements.
    mutating func stop() { isStopped = true }
}
