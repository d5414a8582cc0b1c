import Synchronization
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// The state that all parts of a run share.
final class RunContext: Sendable {
    /// What the run was started with.
    let executor: Executor
    let id: RunID
    let startedAt: Timestamp
    let transport: any Transport
    let redactor: Redactor
    let events: EventStream
    /// The trace that requests with `trace` belong to.
    let trace: TraceContext
    let folder: RunFolder?
    let clock: any RunClock
    let control: RunControl
    let limiter: RequestLimiter
    let sessions: SessionStore
    let tokens: TokenStore
    let duplicates = Duplicates()
    let shared = SharedTransfers()
    let reachability: Reachability
    let routes: MeteredRoutes
    /// What the requests of each plan have in common.
    let requestConstants = KnownConstants()
    let scope: RunScope
    /// The steps of the earlier run, if the run is resumed.
    let earlier: EarlierSteps?
    /// The requests that were not sent again because they may have been sent before, by path, and whether a later resumed run
    /// can send them again.
    let unrepeated = Mutex<[String: Bool]>([:])
    /// The warnings about single requests that were given, by message and location: the elements of a `forEach` have one.
    let requestWarnings = Mutex<Set<String>>([])
    /// The folders of unfinished downloads that the run has used.
    let unfinishedDownloads = Mutex<Set<String>>([])
    /// The kinds of responses of operations of OpenAPI documents.
    let coveredResponses: CoveredResponses
    /// The steps that have written snapshots, and digests of these, by the path of the file.
    let snapshots = Mutex<[CodePoints: (step: String, digest: String)]>([:])
    /// The response times of the run, under an empty name, and of each step with `forEach` that is not in an element.
    let responseTimes = Mutex<[String: ResponseTimeCounter]>([:])
    /// Counts the elements of nested `forEach` steps.
    let nestedElements: NestedElements
    /// The folder of the manifest, where the files that expressions read are.
    let manifestFolder: String
    /// Where the files that requests and expressions name may be.
    let files: FolderBoundary
    /// The netrc files that requests have used.
    let netrcFiles = NetrcFiles()
    /// Warns of files that another process has locked, and that the run waits for.
    let lockNotice: LockNotice
    /// The shard, if the run is one of several.
    let shard: Shard?
    /// Whether the run is a part of one, whose files 'merge' verifies.
    let isPart: Bool
    /// Whether files that the run writes may be outside the results folder.
    let allowsOutside: Bool

    init(_ executor: Executor, id: RunID, startedAt: Timestamp) {
        let plan = executor.plan
        self.executor = executor
        self.id = id
        self.startedAt = startedAt
        transport = executor.transport
        redactor = executor.redactor
        events = executor.events
        trace = executor.trace ?? TraceContext(of: id)
        folder = executor.folder
        clock = executor.clock
        control = executor.control
        limiter = RequestLimiter(limit: plan.concurrency, clock: executor.clock)
        control.whenStopped { [limiter] in limiter.stop() }
        reachability = Reachability(executor.probe, clock: executor.clock) { [events, redactor] destination, reason in
            let name = destination.service.isEmpty ? "" : "service '\(destination.service)' at "
            let change = reason.map { "can no longer be reached: \($0)" } ?? "can be reached again"
            events.emit(.warning(redactor.text("\(name)\(destination.origin) \(change)"), at: nil))
        }
        lockNotice = LockNotice { [events, redactor] path in
            events.emit(.warning(redactor.text("waiting for another process that has locked '\(path)'"), at: nil))
        }
        routes = MeteredRoutes(executor.probe, clock: executor.clock)
        sessions = SessionStore(plan.sessions)
        coveredResponses = CoveredResponses(executor.earlierRun?.coveredResponses ?? [])
        tokens = TokenStore(isMocked: executor.isMocked)
        earlier = executor.earlierRun.map {
            executor.resumption.earlierSteps(of: $0.steps, repeatsUnsure: executor.repeatsUnsure)
        }
        nestedElements = NestedElements(limit: max(256, 4 * plan.concurrency))
        shard = plan.part?.shard
        isPart = plan.part != nil
        // What a shard writes outside its folder could not be merged.
        allowsOutside = plan.allowsOutside && shard == nil
        manifestFolder = FileContents.folder(of: plan.manifest)
        files = FolderBoundary(
            folder: manifestFolder,
            allowsOutside: plan.allowsOutside,
            hint: "use \(executor.audience.allowsOutside) to allow it"
        )
        scope = RunScope(
            inputs: Namespace(plan.inputs),
            data: plan.data,
            secrets: executor.secrets,
            run: JSONObject([
                ("id", .string(id.description)),
                ("startedAt", .string(startedAt.description)),
                ("environment", plan.environment.map(JSON.string) ?? .null),
            ]),
            state: executor.state.values
        )
    }

    /// The time since an arbitrary point before the run, without the time in which the run was paused.
    var activeTime: Duration { clock.now - control.pausedTime }

    /// Waits; returns `false` if the task was cancelled in the meantime, or if the run is being stopped and the step is
    /// not final.
    func pause(for duration: Duration, isFinal: Bool) async -> Bool {
        if isFinal { return (try? await clock.sleep(for: duration)) != nil }
        return await control.wait(for: duration, on: clock)
    }

    /// Checks the path of a file that a step writes. A secret in it, such as one that a server has repeated, would be
    /// readable in the folder, and the names of unfinished files are used by other files.
    func checkPath(_ path: String, at span: SourceSpan) throws(Failure) {
        if redactor.redact(path) != path {
            throw Failure(.input, "a secret cannot be in the path of a file", at: span)
        }
        if RunFileNames.isOfUnfinishedFile(path) {
            throw Failure(.input, redactor.text("'\(path)' has the name of an unfinished file"), at: span)
        }
    }

    /// Counts a response of a step at a path.
    func count(_ response: HTTPResponse, at path: String) {
        guard response.cacheUse != .hit else { return }
        let outer = path.utf8.firstIndex(of: UInt8(ascii: "[")).map { String(path[..<$0]) }
        responseTimes.withLock { times in
            times["", default: ResponseTimeCounter()].add(response.timings.total)
            if let outer { times[outer, default: ResponseTimeCounter()].add(response.timings.total) }
        }
    }

    /// Reports a warning about a request, unless it was reported at the location before.
    func warn(_ message: String, at span: SourceSpan, step: String, endpoint: String?) {
        let isNew = requestWarnings.withLock { warnings in
            // Messages can contain names from responses, so what is remembered is limited.
            if warnings.count > 1_000 { warnings.removeAll() }
            return warnings.insert("\(span.file.name):\(span.start): \(message)").inserted
        }
        guard isNew else { return }
        events.emit(.warning(redactor.text(message), at: SourceLocation(span)), step: step, endpoint: endpoint)
    }

    /// The failure for an expression that could not be evaluated.
    func failure(_ problem: EvaluationFailure) -> Failure {
        Failure(
            problem.kind,
            redactor.text(problem.message),
            code: redactor.code(problem.code),
            at: problem.span
        )
    }
}
