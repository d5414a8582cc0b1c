import WaybillFormats

/// Measures the duration of a run by the timestamps in its journal, without pauses and without the time between the end
/// of a process and the start of the next one that resumed the run.
struct JournalStopwatch {
    /// The duration of the finished parts.
    private var measured = Duration.zero
    /// The start of the current part; `nil` while the run is paused.
    private var start: Timestamp?
    private var last: Timestamp?

    /// Reads the next event of the journal.
    mutating func take(_ event: RunEvent) {
        switch event.kind {
        case .runStarted:
            stop(at: last)
            start = event.at
        case .runPaused where event.step == nil: stop(at: event.at)
        case .runUnpaused where event.step == nil: start = event.at
        default: break
        }
        last = event.at
    }

    /// The duration up to the last event.
    var total: Duration {
        var stopwatch = self
        stopwatch.stop(at: last)
        return stopwatch.measured
    }

    private mutating func stop(at end: Timestamp?) {
        if let start, let end { measured += start.duration(to: end) }
        start = nil
    }
}
