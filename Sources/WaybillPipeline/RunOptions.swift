package import WaybillDiagnostics
package import WaybillExecution
package import WaybillFormats
package import WaybillJSON
package import WaybillPlan
package import WaybillResults
package import WaybillTransport

/// How a plan is run.
package struct RunOptions: Sendable {
    /// The folder for the results; `nil` for `waybill-results/<run id>`, or none if the run is embedded.
    package var outputFolder: String?
    /// Whether another program executes the run. Then nothing is written unless its path is given, and the limits of the
    /// process are not changed.
    package var isEmbedded = false
    /// Whether an earlier run in `outputFolder` is replaced; otherwise, it is an error.
    package var replacesRun = true
    /// The folder of the suite to which the run belongs, which this process has locked.
    package var suiteFolder: String?
    /// The file for the states of the graphs; `nil` for that of the resumed run, or one in `waybill-results/state`, or none
    /// if the run is embedded.
    package var stateFile: String?
    /// Whether the mock server responds to the requests for every origin.
    package var usesMock = false
    /// Environment variables, for secrets, proxies, the cache and traces.
    package var variables: [String: String] = [:]
    /// Returns the value of the secret with a name, before environment variables are searched; `nil` if it has none.
    package var findSecret: (@Sendable (String) async throws -> String?)?
    /// What sends the requests instead of libcurl, without a cache; the mock server takes precedence.
    package var transport: (any Transport & NetworkProbe)?
    /// Whether the requests of the elements of a `forEach` are reported as events too.
    package var reportsElements = false
    /// Whether those of the first elements of each `forEach` are, for a report or because bodies are kept.
    package var reportsFirstElements = false
    /// Whether the start of each body is reported with its request or response.
    package var reportsBodies = false
    /// Whether the body of each request and response is kept, even if it did not fail.
    package var keepsBodies = false
    /// Whether snapshots are written instead of compared with responses.
    package var updatesSnapshots = false
    /// The observers that receive every event.
    package var observers: [any RunObserver] = []
    /// The run to resume, and its folder.
    package var resumed: (record: RunRecord, folder: String)?
    /// Whether a resumed run repeats requests that the earlier run may have sent without receiving a response, even if
    /// they are not idempotent.
    package var repeatsUnsure = false
    /// Steers the run while it is running.
    package var control = RunControl()
    /// The paths of steps that `control` pauses from the start, to check them.
    package var pausedSteps: [String] = []
    /// The number of runs that this process executes at once, which share the limit of open files.
    package var runsAtOnce = 1
    /// The clock of all waits in the run.
    package var clock: any RunClock = SystemClock()
    /// The time of all events; `nil` for the current time.
    package var time: Timestamp?
    /// The files of the manifest that are kept with the run, by path, so that another machine can resume it.
    package var keptFiles: [CodePoints: [UInt8]] = [:]
    /// Whether everything has already happened, so that nothing is sent and the secrets need no values.
    package var sendsNothing = false
    /// The file to which the trace of the run is appended; `nil` if it is not exported to a file.
    package var traceFile: String?
    /// Starts the export of the run's trace, if something asks for one. The redactor is that of the run.
    package var startTraceExport: (@Sendable (TraceContext, RunID, Plan, RunOptions, Redactor) -> (any TraceObserver)?)?
    /// Receives warnings about the folder of the results, before anything is sent, and about the export of the trace.
    package var warn: @Sendable (Diagnostic) -> Void = { _ in }

    /// The default options.
    package init() {}
}
