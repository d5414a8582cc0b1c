import WaybillExecution
import WaybillPlan
import WaybillResults

/// A run that has begun: the events of it, in order, and a handle to steer it by.
///
/// ```swift
/// let run = plan.run()
/// for await event in run { print(event) }
/// let report = try await run.report
/// ```
///
/// A run never waits for whoever reads its events: up to ``Options/eventCapacity`` of them are kept, and when there are more,
/// the oldest are left out, which ``Event/missedBefore`` of the next one tells. ``Observer`` is told of every event, and the
/// run waits for it; `events.ndjson` in the folder of the results has all of them too.
///
/// Each event is given once: several loops over one run share its events. The sequence ends when the results are written, or
/// when the task of a loop is cancelled; the run goes on then.
public struct Run: AsyncSequence, Sendable {
    /// What the sequence is of.
    public typealias Element = Event
    /// Reading events never fails; what went wrong is said by ``report``.
    public typealias Failure = Never

    let control: RunControl
    private let task: Task<RunSession.Report, any Error>
    private let feed: EventFeed

    /// What is probably not as it was meant in the manifest, in the order of the text.
    public let warnings: [ManifestDiagnostic]

    init(_ plan: Plan, _ session: RunOptions, _ options: Options, warnings: [ManifestDiagnostic]) {
        var session = session
        let feed = EventFeed(options, after: session.resumed?.record.lastNumber ?? 0)
        session.observers = [feed]
        self.feed = feed
        self.warnings = warnings
        let running = Pipeline.session(for: plan, session)
        control = session.control
        for step in options.pausedSteps { control.pause(step: step) }
        task = Task {
            defer { feed.finish() }
            return try await running.run()
        }
    }

    /// What came of the run, when it has ended and its results are written.
    ///
    /// Cancelling a task that waits for it cancels the run, as ``cancel()`` does; the report still comes.
    ///
    /// - Throws: ``RunError`` where the run could not be carried out or recorded. A failed step is no error: see
    ///   ``Report/outcome``.
    public var report: Report {
        get async throws {
            try await withTaskCancellationHandler {
                Report(try await task.value)
            } onCancel: {
                cancel()
            }
        }
    }

    /// Reads the events that nobody has read yet.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed) }

    /// Reads the events of a run.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let feed: EventFeed
        private var base: AsyncStream<RunEvent>.Iterator

        fileprivate init(_ feed: EventFeed) {
            self.feed = feed
            base = feed.events.makeAsyncIterator()
        }

        /// The next event; `nil` when the run has ended, or when the task is cancelled.
        public mutating func next() async -> Event? {
            await next(isolation: nil)
        }

        /// The next event; `nil` when the run has ended, or when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
            guard let event = await base.next(isolation: actor) else { return nil }
            return Event(event, missedBefore: feed.read(event.seq))
        }
    }
}

extension Run: CustomStringConvertible, CustomReflectable {
    /// Words that say no more than that it is a run; what happens in it is told by its events.
    public var description: String { "a run" }

    /// Nothing: what it runs has secrets in it.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
