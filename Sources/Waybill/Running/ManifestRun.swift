import WaybillExecution
import WaybillPipeline
import WaybillPlan
import WaybillResults

/// A run that has started: the sequence of its events, and a handle to steer it.
///
/// ```swift
/// let run = plan.run(results: "results")
/// for try await event in run { print(event) }
/// let report = try await run.report
/// ```
///
/// A run never waits for the readers of its events. Up to ``Options/eventCapacity`` events are buffered; if there are
/// more, the oldest are dropped, and ``Event/missedBefore`` of the next event counts them. An ``Observer`` receives
/// every event, and the run waits for it. `events.ndjson` in the results folder has all events too.
///
/// Each event is delivered once: several loops over one run share its events. The sequence ends when the results are
/// written, or when the task of a loop is cancelled. In the latter case the run continues. If the run cannot be executed or
/// recorded, the sequence throws the reason at its end.
public struct ManifestRun: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = Event
    /// The reason why the run could not be executed or recorded. A failed step is not an error: see ``report``.
    public typealias Failure = RunError

    let control: RunControl
    let plan: Plan
    private let task: Task<Result<RunSession.Report, RunError>, Never>
    private let feed: EventFeed

    /// The warnings about the manifest, in the order of the text.
    public let warnings: [ManifestDiagnostic]

    init(_ plan: Plan, _ session: RunOptions, _ options: Options, warnings: [ManifestDiagnostic]) {
        var session = session
        let feed = EventFeed(options, after: session.resumed?.record.lastNumber ?? 0)
        session.observers = [feed]
        self.feed = feed
        self.warnings = warnings
        self.plan = plan
        let running = Pipeline.session(for: plan, session)
        control = session.control
        for step in options.pausedSteps { control.pause(step: step) }
        task = Task {
            defer { feed.finish() }
            do throws(RunError) {
                return .success(try await running.run())
            } catch {
                return .failure(error)
            }
        }
    }

    /// The results of the run, after it has finished and the results are written.
    ///
    /// Cancelling a task that waits for the report cancels the run, as ``cancel()`` does; the report is still returned.
    ///
    /// - Throws: ``RunError`` if the run could not be executed or recorded. A failed step does not throw: see
    ///   ``Report/outcome``.
    public var report: Report {
        get async throws(RunError) {
            let result = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                cancel()
            }
            return Report(try result.get())
        }
    }

    /// Returns an iterator over the events that have not been read yet.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed, task) }

    /// An iterator over the events of a run.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let feed: EventFeed
        private let task: Task<Result<RunSession.Report, RunError>, Never>
        private var hasThrown = false

        fileprivate init(_ feed: EventFeed, _ task: Task<Result<RunSession.Report, RunError>, Never>) {
            self.feed = feed
            self.task = task
        }

        /// Returns the next event; `nil` if the run has finished or the task is cancelled.
        ///
        /// - Throws: The reason, once, if the run could not be executed or recorded.
        public mutating func next() async throws(RunError) -> Event? {
            try await next(isolation: nil)
        }

        /// Returns the next event; `nil` if the run has finished or the task is cancelled.
        ///
        /// - Throws: The reason, once, if the run could not be executed or recorded.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(RunError) -> Event? {
            if let event = await feed.next() { return event }
            guard !Task.isCancelled, !hasThrown, case .failure(let error) = await task.value else { return nil }
            hasThrown = true
            throw error
        }
    }
}

extension ManifestRun: CustomStringConvertible, CustomReflectable {
    /// A fixed text. The events tell what happens in the run.
    public var description: String { "a run" }

    /// An empty mirror, because the content of a run includes secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
