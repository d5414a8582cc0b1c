import DequeModule
import WaybillManifest

/// Decides when requests may begin under a rate: evenly spaced, and never more of them than the rate's count in any time as
/// long as its interval.
struct RateState: Sendable {
    /// How many moments are remembered of the past interval. Of faster rates only every so many starts are, which lets
    /// slightly fewer begin, never more.
    private static let longestMemory = 1024
    /// How much of the time by which timers are late is made up for.
    private static let longestLag = Duration.milliseconds(10)

    private let rate: RequestRate
    private let spacing: Duration
    /// Each how many starts one is remembered.
    private let stride: Int
    /// The moments of the starts whose number is a multiple of the stride, the last ones.
    private var moments: Deque<Duration> = []
    /// The number of the first that is remembered.
    private var firstNumber = 0
    /// How many have begun.
    private var count = 0
    /// When the next one would begin if all were evenly spaced.
    private var due = Duration.zero

    /// No request has begun yet.
    init(_ rate: RequestRate) {
        self.rate = rate
        let share = rate.interval / rate.count
        // Rounded up, so that the spaces together are not shorter than the interval.
        spacing = share * rate.count < rate.interval ? share + .nanoseconds(1) : share
        stride = 1 + (rate.count - 1) / Self.longestMemory
    }

    /// The first moment at which the next one may begin.
    var earliest: Duration {
        // The oldest of the starts that must be a whole interval away, or one shortly after it.
        let number = (max(0, count - rate.count) + stride - 1) / stride
        guard count >= rate.count, number >= firstNumber, number - firstNumber < moments.count else { return due }
        return max(due, moments[number - firstNumber] + rate.interval)
    }

    /// Notes that one begins now.
    ///
    /// - Parameter arrival: Since when it has been waiting. What is late although it was waiting may be followed a little
    ///   earlier; what comes after a time without requests may not.
    mutating func begin(at now: Duration, waitingSince arrival: Duration) {
        if count % stride == 0 {
            moments.append(now)
            if moments.count > rate.count / stride + 2 {
                moments.removeFirst()
                firstNumber += 1
            }
        }
        due = (count > 0 && arrival <= due ? max(due, now - Self.longestLag) : now) + spacing
        count += 1
    }
}
