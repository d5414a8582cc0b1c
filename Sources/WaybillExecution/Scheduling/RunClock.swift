/// The clock of a run, for all its waits. Tests replace it by one that they advance themselves.
package protocol RunClock: Sendable {
    /// The time since an arbitrary point before the run.
    var now: Duration { get }
    /// Waits; throws immediately when the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// A clock that does not advance, for runs in which everything has already happened.
package struct StoppedClock: RunClock {
    package let now = Duration.zero

    /// Creates a clock.
    package init() {}

    package func sleep(for duration: Duration) async throws {}
}

/// The clock of the machine, which continues while the machine sleeps.
package struct SystemClock: RunClock {
    private let start = ContinuousClock.now

    /// A clock that starts now.
    package init() {}

    /// The time since the clock was created.
    package var now: Duration { start.duration(to: .now) }

    package func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}
