#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Decides whether it is worth looking for events again and again before a thread goes to sleep.
///
/// A response from a nearby server takes less time than it takes to put a thread to sleep, wake it, and fill the
/// processor's caches again: requests one after the other are twice as fast without. Where waits are longer the thread
/// sleeps at once, so that a slow server costs no processor time.
struct BusyWait {
    /// How long it is looked at most.
    static let longest = Duration.microseconds(100)

    /// Whether the last wait was so short that the next one is likely to be too.
    private(set) var isWorthwhile = false

    /// Looks again and again until something has come, for `longest` at most; false when nothing had. Others may have the
    /// processor meanwhile: one of them may be who is waited for.
    static func look(for hasCome: () -> Bool) -> Bool {
        let end = ContinuousClock.now + longest
        repeat {
            if hasCome() { return true }
            sched_yield()
        } while ContinuousClock.now < end
        return false
    }

    /// Notes how long a wait took that was slept through, the time to be woken included.
    mutating func note(slept duration: Duration) {
        isWorthwhile = duration <= Self.longest * 2
    }
}
