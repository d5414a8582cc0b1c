/// The time of a run, for everything in it that waits. Tests put one in its place that they move by hand.
package protocol RunClock: Sendable {
    /// The time since some moment before the run.
    var now: Duration { get }
    /// Waits; throws at once when the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The clock of the machine, which goes on while it sleeps.
package struct SystemClock: RunClock {
    private let start = ContinuousClock.now

    /// A clock that begins now.
    package init() {}

    /// The time since the clock was created.
    package var now: Duration { start.duration(to: .now) }

    package func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}
