import DequeModule
import Synchronization
package import WaybillDiagnostics
import WaybillFormats
package import WaybillResults
import WaybillTransport

/// Exports the spans of a run while it is running.
///
/// It observes the run's events, and sends spans in the background: as soon as a batch is complete, and otherwise every
/// five seconds. The run never waits for it; spans that the destination cannot take in time are dropped and counted.
package final class TraceExporter: TraceObserver {
    /// The maximum number of spans in a request.
    static let batchSize = 512
    /// The maximum number of spans that wait, which limits the memory to about 30 MB.
    static let queueSize = 32_768
    private static let interval = Duration.seconds(5)

    fileprivate struct State {
        var builder: SpanBuilder
        var queue: Deque<Span> = []
        /// Nothing is sent before this time, because the destination was not available.
        var pausedUntil: ContinuousClock.Instant?
        /// When the exporter stops sending, once the run has finished.
        var deadline: ContinuousClock.Instant?
        var losses = TraceLosses()
    }

    private let destination: any TraceDestination
    private let resource: [SpanAttribute]
    private let trace: TraceID
    private let timeout: Duration
    private let state: Mutex<State>
    private let wakeUp: AsyncStream<Void>.Continuation
    private let worker: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// Starts an exporter to a destination.
    ///
    /// - Parameter timeout: The maximum time for sending what is left when the run has finished.
    init(
        of context: TraceContext,
        resource: [SpanAttribute],
        to destination: any TraceDestination,
        timeout: Duration
    ) {
        self.destination = destination
        self.resource = resource
        self.timeout = timeout
        trace = context.trace
        state = Mutex(State(builder: SpanBuilder(context)))
        let wakeUps: AsyncStream<Void>
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let task = Task { await work(wakeUps) }
        worker.withLock { $0 = task }
    }

    /// Builds the spans that end with an event, and queues them.
    package func receive(_ event: RunEvent) {
        let isBatchComplete = state.withLock { state in
            let before = state.queue.count
            for span in state.builder.take(event) { state.add(span) }
            return before < Self.batchSize && state.queue.count >= Self.batchSize
        }
        if isBatchComplete { wakeUp.yield() }
    }

    /// Sends what is left after the last event, within the time limit, and releases the destination. Returns a warning
    /// if spans were lost.
    package func finish() async -> Diagnostic? {
        state.withLock { $0.deadline = .now + timeout }
        wakeUp.finish()
        guard let worker = worker.withLock({ $0.take() }) else { return nil }
        let limit = Task { [timeout] in
            try await Task.sleep(for: timeout)
            worker.cancel()
        }
        await worker.value
        limit.cancel()
        await destination.close()
        let losses = state.withLock { state in
            state.failRemaining("it did not take them within \(timeout.words)")
            return state.losses
        }
        return losses.warning(about: destination.name)
    }

    private func work(_ wakeUps: AsyncStream<Void>) async {
        await withTaskGroup { tasks in
            tasks.addTask { [wakeUp] in
                while (try? await Task.sleep(for: Self.interval)) != nil { wakeUp.yield() }
            }
            for await _ in wakeUps { await sendQueued() }
            tasks.cancelAll()
        }
        await sendRest()
    }

    /// Sends what is queued while the run is running, with a pause when the destination is not available.
    private func sendQueued() async {
        while !Task.isCancelled, let batch = nextBatch() {
            let pause: Duration
            switch await send(batch) {
            case .accepted, .refused: continue
            case .later(let wait, _): pause = max(wait ?? .zero, Self.interval)
            case .unreachable: pause = Self.interval
            }
            state.withLock { state in
                state.pausedUntil = .now + pause
                state.putBack(batch)
            }
            return
        }
    }

    /// Sends what is queued when the run has finished. A destination that cannot be reached is not tried again.
    private func sendRest() async {
        state.withLock { $0.pausedUntil = nil }
        var pause = Duration.milliseconds(500)
        while !Task.isCancelled, let batch = nextBatch() {
            switch await send(batch) {
            case .accepted, .refused: continue
            case .unreachable(let reason):
                state.withLock { state in
                    state.putBack(batch)
                    state.failRemaining(reason)
                }
            case .later(let wait, let reason):
                let wait = max(wait ?? .zero, pause)
                let isTooLong = state.withLock { state in
                    state.putBack(batch)
                    guard let deadline = state.deadline, .now + wait >= deadline else { return false }
                    state.failRemaining(reason)
                    return true
                }
                if !isTooLong { try? await Task.sleep(for: wait) }
                pause *= 2
            }
        }
    }

    private func nextBatch() -> [Span]? {
        state.withLock { state in
            if let pausedUntil = state.pausedUntil, pausedUntil > .now { return nil }
            guard !state.queue.isEmpty else { return nil }
            let batch = Array(state.queue.prefix(Self.batchSize))
            state.queue.removeFirst(batch.count)
            return batch
        }
    }

    /// Sends a batch once, and counts what is lost.
    private func send(_ batch: [Span]) async -> TraceDelivery {
        let request = OTLPTraces(resource: resource, trace: trace, spans: batch).jsonText()
        let delivery = await destination.send(request)
        state.withLock { state in
            switch delivery {
            case .accepted(let rejected, let message): state.losses.reject(min(rejected, batch.count), message)
            // A request that was cancelled took too long.
            case .refused where Task.isCancelled: state.putBack(batch)
            case .refused(let reason): state.losses.fail(batch.count, reason)
            case .later, .unreachable: break
            }
        }
        return delivery
    }
}

extension TraceExporter.State {
    fileprivate mutating func add(_ span: Span) {
        if queue.count < TraceExporter.queueSize { queue.append(span) } else { losses.dropped += 1 }
    }

    /// Stops sending what is queued.
    fileprivate mutating func failRemaining(_ reason: String) {
        losses.fail(queue.count, reason)
        queue = []
    }

    fileprivate mutating func putBack(_ batch: [Span]) {
        let room = max(0, TraceExporter.queueSize - queue.count)
        losses.dropped += max(0, batch.count - room)
        queue.prepend(contentsOf: batch.suffix(room))
    }
}

extension TraceExporter {
    /// The file to which environment variables ask to append the trace; `nil` if they ask for none, or for a collector.
    package static func file(variables: [String: String]) -> String? {
        if case .file(let path)? = TraceSettings.read(from: variables).settings?.destination { path } else { nil }
    }

    /// Starts the exporter of a run's trace; `nil` unless environment variables ask for one. A trace that the program that
    /// started the run does not record is not exported either.
    ///
    /// - Parameters:
    ///   - run: What is known of the run, as attributes of the resource. The variables may have others with the same names.
    ///   - redactor: Knows the secrets of the run, which a collector may repeat in its messages.
    ///   - warn: Receives a warning about variables with wrong values, and about a destination that cannot be used.
    package static func start(
        for context: TraceContext,
        run: [(name: String, value: String?)],
        variables: [String: String],
        redactor: Redactor,
        warn: (Diagnostic) -> Void
    ) -> TraceExporter? {
        let reading = TraceSettings.read(from: variables)
        for warning in reading.warnings { warn(warning) }
        guard let settings = reading.settings, context.isSampled else { return nil }
        var resource = settings.resource
        // A name must be unique.
        for (name, value) in run where !resource.contains(where: { $0.key == name }) {
            if let value { resource.append(SpanAttribute(name, .string(value))) }
        }
        do {
            return TraceExporter(
                of: context,
                resource: resource,
                to: try settings.openDestination(redactor),
                timeout: settings.timeout
            )
        } catch {
            warn(Diagnostic.traces("no traces are exported: \(error)"))
            return nil
        }
    }
}

extension TraceSettings {
    fileprivate func openDestination(_ redactor: Redactor) throws -> any TraceDestination {
        switch destination {
        case .file(let path): try TraceFile(path)
        case .collector(let url):
            // With connections of its own, which the limits of the run do not concern.
            TraceCollector(at: url, self, redactor, through: try CurlTransport(maximumConnections: 1))
        }
    }
}
