/// The time of a transfer that may be held up: while it is, its time does not pass.
struct TransferClock {
    /// When the time is over; nil while it stands still.
    private(set) var deadline: ContinuousClock.Instant?

    private var remaining: Duration

    /// A clock of a transfer that began at a moment.
    init(start: ContinuousClock.Instant, timeout: Duration) {
        // Far enough not to overflow, and never reached.
        remaining = min(timeout, .seconds(1 << 40))
        deadline = start.advanced(by: remaining)
    }

    /// Lets the time stand still.
    mutating func stop() {
        guard let deadline else { return }
        remaining = deadline - .now
        self.deadline = nil
    }

    /// Lets the time pass again.
    mutating func go() {
        if deadline == nil { deadline = .now.advanced(by: remaining) }
    }
}
