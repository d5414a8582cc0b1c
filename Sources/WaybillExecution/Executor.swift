import Synchronization
import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
package import WaybillPlan
package import WaybillResults
package import WaybillTransport

/// Runs a plan: sends its requests in the order of its chains and batches, and reports the outcomes.
///
/// Nothing is thrown: a failed request is data. Cancelling the task that calls `run` cancels everything that is
/// running.
package struct Executor: Sendable {
    /// What to run.
    package let plan: Plan
    /// What sends requests.
    package var transport: any Transport
    /// Checks the network before anything is sent.
    package let probe: any NetworkProbe
    /// The values of the plan's secrets.
    package let secrets: [String: String]
    /// Masks the values of secrets.
    package let redactor: Redactor
    /// Receives the events of the run.
    package let events: EventStream
    /// The results folder, where the bodies of failed responses are kept.
    package var folder: RunFolder?
    /// The proxies of the environment variables, for requests with `proxy: environment`.
    package var proxies = ProxyVariables([:])
    /// Stops, pauses and unpauses the run, or parts of it, while it is running.
    package var control = RunControl()
    /// The clock of all waits in the run.
    package var clock: any RunClock = SystemClock()
    /// The earlier run, if this one resumes it.
    package var earlierRun: RunRecord?
    /// Which requests a resumed run sends again, and which results it no longer has.
    package var resumption = ResumeDecision()
    /// Whether a resumed run repeats requests that the earlier run may have sent without receiving a response, even if
    /// they are not idempotent.
    package var repeatsUnsure = false
    /// Whether the mock server receives the requests.
    package var isMocked = false
    /// The number of the mock server's examples for each request that has some.
    package var mockExamples: [ObjectIdentifier: Int] = [:]
    /// Whether the bodies of all requests and responses are kept, not only those of failed responses.
    package var keepsBodies = false
    /// Whether snapshots are written instead of compared with responses.
    package var updatesSnapshots = false
    /// Who reads the messages.
    package var audience = RunAudience.commandLine
    /// The states of the graphs at the start of the run.
    package var state = GraphStates()
    /// The memory that responses and the values that later steps use may take.
    package var memory = RunMemory()
    /// The trace that the requests belong to; `nil` for one of the run's own.
    package var trace: TraceContext?
    /// Stands for the values that are not known, if requests are only built.
    package var placeholders: ValuePlaceholders?
    /// Warnings from before the run, which are events after the start of the run.
    package var setUpWarnings: [String] = []
    /// Ends the transport after the last request. Returns why cookie jars could not be written, one message for each.
    package var endTransport: @Sendable () async -> [String] = { [] }
    /// The start of the warning that a cookie jar could not be written.
    package static let lostCookies = "cookies of the run may be lost: "

    /// An executor of a plan with a transport of its own; the secrets are registered with the redactor immediately.
    package init(
        plan: Plan,
        transport: any Transport & NetworkProbe,
        secrets: [String: String],
        redactor: Redactor,
        events: EventStream
    ) {
        self.plan = plan
        self.transport = transport
        probe = transport
        self.secrets = secrets
        self.redactor = redactor
        self.events = events
        for secret in secrets.values { redactor.register(secret) }
    }

    /// The outcome of a run.
    package struct Outcome: Sendable {
        /// The summary.
        package var result: RunResult
        /// The response times from which those of the summary were computed.
        package var responseTimes: ResponseTimeCounter
        /// The outputs of each graph that passed.
        package var outputs: [(graph: String, values: RedactedJSON)]
        /// The states for the next run, of each graph that has one; `nil` unless the run passed.
        package var state: [String: RedactedJSON]?
    }

    /// Runs all graphs, one after another. `StepLayers` lists what a request passes through on its way to the transport.
    package func run(id: RunID) async -> Outcome {
        await run(in: RunContext(self, id: id, startedAt: earlierRun?.startedAt ?? events.now()))
    }

    /// Runs all graphs in a context of this executor.
    func run(in context: RunContext) async -> Outcome {
        // Without the journal, requests could not be recorded.
        folder?.journal.whenFailed { [control] in control.cancelAll() }
        var runStart = RunEvent.RunStart(
            id: context.id,
            manifest: plan.manifest,
            environment: plan.environment,
            graphs: plan.graphs.map(\.name)
        )
        runStart.inputs = shownInputs
        runStart.state = state.values.isEmpty ? nil : redactor.unchanged(.object(JSONObject(states)))
        runStart.stateFile = state.file
        runStart.selection = plan.selection.json.map { redactor.json($0) }
        runStart.part = plan.part.map { redactor.json($0.json) }
        runStart.isMocked = isMocked
        runStart.isResumed = earlierRun != nil
        events.emit(.runStarted(runStart))
        for warning in setUpWarnings { events.emit(.warning(redactor.text(warning), at: nil)) }
        warnOfShortSecrets()
        for loss in resumption.lostCookies {
            events.emit(.warning(redactor.text(loss.message), at: SourceLocation(loss.span)), step: loss.step)
        }
        await keepEarlierFiles(context)
        let start = context.activeTime
        let (steps, outputs, state, wasCancelled) = await control.execute(on: clock) { isPaused, step in
            events.emit(isPaused ? .runPaused : .runUnpaused, step: step)
        } _: {
            // A run has many small requests. On the transport's own executor, they do not switch threads.
            let end = await withTaskExecutorPreference(transport.taskExecutor) { await runGraphs(in: context) }
            await context.tokens.finish()
            return end
        }
        for failure in await endTransport() {
            events.emit(.warning(redactor.text(Self.lostCookies + failure), at: nil))
        }
        warnOfUnrepeated(context)
        warnOfShortSecretsReceived()
        let outcome: RunOutcome =
            if Task.isCancelled || control.isStopping {
                .interrupted
            } else if steps.contains(where: { $0.outcome == .failed }) {
                .failed
            } else {
                wasCancelled ? .interrupted : .passed
            }
        var result = RunResult(
            id: context.id,
            manifest: plan.manifest,
            environment: plan.environment,
            part: plan.part?.text,
            startedAt: context.startedAt,
            finishedAt: events.now(),
            time: (earlierRun?.time ?? .zero) + context.activeTime - start,
            outcome: outcome,
            steps: steps
        )
        result.isMocked = isMocked
        let times = context.responseTimes.withLock { $0[""] } ?? ResponseTimeCounter()
        result.responseTimes = times.figures
        if !isMocked { result.coverage = context.coveredResponses.coverage(of: plan, redactor) }
        events.emit(.runFinished(outcome, result.counts))
        return Outcome(result: result, responseTimes: times, outputs: outputs, state: outcome == .passed ? state : nil)
    }

    private func runGraphs(
        in context: RunContext
    ) async -> (
        steps: [StepResult],
        outputs: [(graph: String, values: RedactedJSON)],
        state: [String: RedactedJSON],
        wasCancelled: Bool
    ) {
        var state: [String: RedactedJSON] = [:]
        var wasCancelled = false
        var steps: [StepResult] = []
        var outputs: [(graph: String, values: RedactedJSON)] = []
        for graph in plan.graphs {
            let outcome = await GraphRunner(graph: graph, context: StepContext(graph, in: context)).run()
            steps += outcome.node.steps
            state[graph.name] = outcome.state
            // A step of the graph was cancelled, and with it the rest of the graph.
            wasCancelled = wasCancelled || outcome.node.end == .cancelled
            if let values = outcome.outputs, !graph.outputs.isEmpty {
                let (outputsOfGraph, isChanged) = redactor.data(graph.object(of: values))
                if isChanged {
                    events.emit(
                        .warning(
                            "outputs.json: the outputs of \(redactor.text(graph.name)) contain a secret, which is replaced by ***",
                            at: nil
                        )
                    )
                }
                outputs.append((graph.name, outputsOfGraph))
            }
        }
        return (steps, outputs, state, wasCancelled)
    }
}

extension Executor {
    /// Warns of secrets of the manifest that are redacted only where they are a whole value.
    private func warnOfShortSecrets() {
        let short = plan.secrets.filter { secrets[$0.name].map(ShortSecrets.contains) ?? false }
        guard let first = short.first else { return }
        warnOfShortSecrets(in: short.map { "'\($0.name)'" }, at: first.source.span)
    }

    /// Keeps other steps from replacing the files that steps wrote or downloaded before the run was resumed, and warns of
    /// those that are now missing or have another size.
    private func keepEarlierFiles(_ context: RunContext) async {
        // The journal does not contain paths with secrets.
        let files = context.earlier?.finishedFiles.filter { !$0.file.path.string.contains(Redactor.mask) } ?? []
        guard let folder, !files.isEmpty else { return }
        let sizes = await folder.claim(files)
        let changed = files.filter { file in
            let size = sizes[CodePoints(file.file.path.string)]
            return size == nil || size != file.file.bytes ?? size
        }
        let most = 5
        for (step, file) in changed.prefix(most) {
            let size = sizes[CodePoints(file.path.string)]
            let change = size.map { "has \($0) bytes instead of \(file.bytes ?? $0)" } ?? "is missing"
            let (verb, remedy) =
                switch file {
                case .written: ("wrote", "write")
                case .downloaded: ("downloaded", "download")
                }
            let message =
                "the step \(verb) '\(file.path.string)' before the run was resumed, but the file \(change); "
                + "to \(remedy) it again, start a new run"
            events.emit(.warning(redactor.text(message), at: nil), step: step)
        }
        if changed.count > most {
            let message =
                "\(changed.count - most) more files that were written or downloaded before the run was resumed are missing "
                + "or have a different size; to get them again, start a new run"
            events.emit(.warning(redactor.text(message), at: nil))
        }
    }

    /// Warns of requests that were not sent again because the server may have received them before.
    private func warnOfUnrepeated(_ context: RunContext) {
        var requests = context.unrepeated.withLock { $0 }
        for (path, isRepeatable) in context.earlier?.keptUnsure ?? [] { requests[path] = isRepeatable }
        warn(
            of: requests.filter(\.value).keys,
            "not sent again; \(audience.resumesAndRepeatsUnsure) sends such requests again"
        )
        warn(
            of: requests.filter { !$0.value }.keys,
            "not sent again, because the step's file was written without its records; start a new run to send it"
        )
    }

    private func warn(of paths: some Collection<String>, _ consequence: String) {
        guard !paths.isEmpty else { return }
        let message =
            "\(Self.list(paths)) may have been sent before the run was resumed, without a recorded response: \(consequence)"
        events.emit(.warning(redactor.text(message), at: nil))
    }

    /// The first of some requests, and how many more there are.
    private static func list(_ paths: some Collection<String>) -> String {
        let shown = 5
        let names = paths.sorted().prefix(shown).map { "'\($0)'" }.joined(separator: ", ")
        return paths.count > shown ? "\(names) and \(paths.count - shown) more requests" : names
    }

    /// Warns of short secrets that occurred during the run: in responses, netrc files or constants.
    private func warnOfShortSecretsReceived() {
        let sources = redactor.sourcesOfShortSecrets
        if !sources.isEmpty { warnOfShortSecrets(in: sources, at: nil) }
    }

    private func warnOfShortSecrets(in sources: [String], at span: SourceSpan?) {
        let most = 5
        let more = sources.count > most ? " and \(sources.count - most) more" : ""
        let message =
            "a secret of fewer than \(ShortSecrets.limit) bytes in \(sources.prefix(most).joined(separator: ", "))\(more) is "
            + "redacted only where it is a whole value, not inside a longer string"
        events.emit(.warning(redactor.text(message), at: SourceLocation(span)))
    }

    private var states: [(name: String, value: JSON)] {
        state.values.sorted { $0.key < $1.key }.map { ($0.key, .object($0.value)) }
    }

    /// The values of the inputs, for the journal; `nil` if one of them contains a secret.
    private var shownInputs: RedactedJSON? {
        redactor.unchanged(.object(plan.inputs))
    }
}

extension GraphPlan {
    /// Its outputs in the order of the manifest.
    fileprivate func object(of values: [String: ScopeValue]) -> JSON {
        var object = JSONObject()
        for output in outputs {
            guard let value = values[output.name.value] else { continue }
            object[output.name.value] = value.isSecret ? Redactor.masked(value.json) : value.json
        }
        return .object(object)
    }
}
