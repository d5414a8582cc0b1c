import WaybillFormats
import WaybillJSON

/// Measures the duration of a run by the timestamps in its journal, without pauses and without the time between the end
/// of a process and the start of the next one that resumed the run.
struct JournalStopwatch {
    /// The duration of the finished parts.
    private var measured = Duration.zero
    /// The start of the current part; `nil` while the run is paused.
    private var start: JSON?
    private var last: JSON?

    /// Reads the next line of the journal.
    mutating func take(_ event: JSON) {
        let isOfRun = event["step"] == nil
        switch event["type"]?.string {
        case "run.started":
            stop(at: last)
            start = event["at"]
        case "run.paused" where isOfRun: stop(at: event["at"])
        case "run.unpaused" where isOfRun: start = event["at"]
        default: break
        }
        last = event["at"]
    }

    /// The duration up to the last line.
    var total: Duration {
        var stopwatch = self
        stopwatch.stop(at: last)
        return stopwatch.measured
    }

    private mutating func stop(at end: JSON?) {
        defer { start = nil }
        guard let start = start?.string.flatMap(Timestamp.init(rfc3339:)),
            let end = end?.string.flatMap(Timestamp.init(rfc3339:))
        else { return }
        measured += start.duration(to: end)
    }
}
