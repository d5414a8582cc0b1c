import DequeModule
import WaybillManifest

/// Decides when requests may start under a rate: evenly spaced, and never more than the rate's count in any period as
/// long as its interval.
struct RateState: Sendable {
    /// The maximum number of start times that are remembered for the past interval. At faster rates, only every n-th
    /// start is remembered, which lets slightly fewer requests start, never more.
    private static let longestMemory = 1024
    /// The maximum delay of a timer that the next requests make up for.
    private static let longestLag = Duration.milliseconds(10)

    private let rate: RequestRate
    private let spacing: Duration
    /// Every `stride`-th start is remembered.
    private let stride: Int
    /// The times of the last starts whose number is a multiple of the stride.
    private var moments: Deque<Duration> = []
    /// The number of the first start that is remembered, in strides.
    private var firstNumber = 0
    /// The number of requests that have started.
    private var count = 0
    /// When the next request would start if all were evenly spaced.
    private var due = Duration.zero

    /// No request has started yet.
    init(_ rate: RequestRate) {
        self.rate = rate
        let share = rate.interval / rate.count
        // Rounded up, so that the spaces together are not shorter than the interval.
        spacing = share * rate.count < rate.interval ? share + .nanoseconds(1) : share
        stride = 1 + (rate.count - 1) / Self.longestMemory
    }

    /// The earliest time at which the next request may start.
    var earliest: Duration {
        // The oldest start that must be a whole interval ago, or one shortly after it.
        let number = (max(0, count - rate.count) + stride - 1) / stride
        guard count >= rate.count, number >= firstNumber, number - firstNumber < moments.count else { return due }
        return max(due, moments[number - firstNumber] + rate.interval)
    }

    /// Notes that a request starts now.
    ///
    /// - Parameter arrival: When the request started to wait. If it is late although it was waiting, the next one may
    ///   start a little earlier, but not after a time without requests.
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
