package import WaybillData
import WaybillDiagnostics
import WaybillManifest
package import WaybillPlan
package import WaybillResults
package import WaybillTransport

/// Runs a plan: sends its requests in the order that its chains and batches give, and reports what comes of it.
///
/// Nothing is thrown: a failed request is data. Cancelling the task that runs cancels everything that is under way.
package struct Executor: Sendable {
    /// What to run.
    package let plan: Plan
    /// What sends requests.
    package let transport: any Transport
    /// The values of the plan's secrets.
    package let secrets: [String: String]
    /// What knows which texts must not be shown.
    package let redactor: Redactor
    /// What is told of everything that happens.
    package let events: EventStream
    /// Where bodies of failed answers are kept.
    package let folder: RunFolder?
    /// What the environment says of proxies, for requests with `proxy: environment`.
    package let proxies: ProxyVariables

    /// An executor; the secrets are registered with the redactor at once.
    package init(
        plan: Plan,
        transport: any Transport,
        secrets: [String: String],
        redactor: Redactor,
        events: EventStream,
        folder: RunFolder? = nil,
        proxies: ProxyVariables = ProxyVariables([:])
    ) {
        self.plan = plan
        self.transport = transport
        self.secrets = secrets
        self.redactor = redactor
        self.events = events
        self.folder = folder
        self.proxies = proxies
        for secret in secrets.values { redactor.register(secret) }
    }

    /// What came of a run.
    package struct Outcome: Sendable {
        /// The summary.
        package var result: RunResult
        /// The outputs of each graph that passed.
        package var outputs: [(graph: String, values: RedactedJSON)]
    }

    /// Runs all graphs, one after another.
    package func run(id: RunID) async -> Outcome {
        let startedAt = Timestamp.now()
        events.emit(
            .runStarted(
                .init(
                    id: id,
                    manifest: plan.manifest,
                    environment: plan.environment,
                    graphs: plan.graphs.map(\.name)
                )
            )
        )
        let context = RunContext(executor: self, id: id, startedAt: startedAt)
        var steps: [StepResult] = []
        var outputs: [(graph: String, values: RedactedJSON)] = []
        for graph in plan.graphs {
            let run = await GraphRun(graph, in: context).run()
            steps += run.steps
            if let values = run.outputs { outputs.append((graph.name, values)) }
        }
        let outcome: RunOutcome =
            Task.isCancelled ? .interrupted : steps.contains { $0.outcome == .failed } ? .failed : .passed
        let result = RunResult(
            id: id,
            manifest: plan.manifest,
            environment: plan.environment,
            startedAt: startedAt,
            finishedAt: Timestamp.now(),
            outcome: outcome,
            steps: steps
        )
        events.emit(.runFinished(outcome, result.counts))
        return Outcome(result: result, outputs: outputs)
    }
}

/// What all parts of a run share.
struct RunContext: Sendable {
    let transport: any Transport
    let redactor: Redactor
    let events: EventStream
    let folder: RunFolder?
    let limiter: RequestLimiter
    let proxies: ProxyVariables
    let scope: RunScope
    /// The folder of the manifest, where the files that expressions read are.
    let manifestFolder: String

    init(executor: Executor, id: RunID, startedAt: Timestamp) {
        transport = executor.transport
        redactor = executor.redactor
        events = executor.events
        folder = executor.folder
        limiter = RequestLimiter(limit: executor.plan.concurrency)
        proxies = executor.proxies
        manifestFolder = FileContents.folder(of: executor.plan.manifest)
        scope = RunScope(
            inputs: Namespace(executor.plan.inputs),
            data: executor.plan.data,
            secrets: executor.secrets,
            run: JSONObject([
                ("id", .string(id.description)),
                ("startedAt", .string(startedAt.description)),
                ("environment", executor.plan.environment.map(JSON.string) ?? .null),
            ])
        )
    }
}
