import WaybillPlatform

/// Decides whether to poll for events for a moment before a thread sleeps.
///
/// The response of a nearby server takes less time than putting a thread to sleep and waking it. Without this, a chain
/// of GETs on loopback has 0.39 to 0.42 of the speed of the same requests in C, with it 0.61 to 0.70
/// (`Benchmarks/Run/scale.py`); many requests at once are as fast either way. Where waits are longer, the thread sleeps
/// immediately, so that a slow server costs no processor time.
struct BusyWait {
    /// The maximum time to poll.
    static let longest = Duration.microseconds(100)

    /// Whether the last wait was so short that the next one is likely to be too.
    private(set) var isWorthwhile = false

    /// Polls until a condition holds, for `longest` at most, and returns whether it does. Other threads can use the processor
    /// in the meantime, because the condition may depend on one of them.
    static func poll(until hasCome: () -> Bool) -> Bool {
        let end = ContinuousClock.now + longest
        repeat {
            if hasCome() { return true }
            sched_yield()
        } while ContinuousClock.now < end
        return false
    }

    /// Records how long the thread slept, including the time to wake it.
    mutating func note(slept duration: Duration) {
        isWorthwhile = duration <= Self.longest * 2
    }
}
