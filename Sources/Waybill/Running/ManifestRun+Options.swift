import Synchronization
import WaybillExecution
import WaybillPipeline
import WaybillTransport

extension ManifestRun {
    /// How a run is executed, and who observes it.
    ///
    /// By default, a run writes nothing, except for what its manifest asks for: with `cache`, responses are stored in the
    /// user's folder for caches, or the folder that the manifest names; cookie jars and snapshots have paths of their own.
    public struct Options: Sendable {
        /// Whether the manifest's `mock` examples are the responses to all requests, and nothing leaves this machine. A
        /// resumed run keeps the setting of the earlier run, whatever this value is.
        public var usesMock = false
        /// What sends the requests; `nil` for the library's own transport. With `usesMock`, it is not used.
        public var transport: (any ManifestTransport)?
        /// The clock of all waits: `delay`, `retry`, `until`, `rate` and deadlines. The `timeout` of a request is measured
        /// in real time. A clock whose waits end at once also ends deadlines at once.
        ///
        /// If a wait ends before its time on this clock, the run continues as if that time had passed. If a wait throws an
        /// error although its task was not cancelled, the run waits in real time.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// Returns the value of a secret by its name in the manifest. For a secret without a value (`nil`), its environment
        /// variable is used. It is called before anything is sent, for each secret that the run uses; if it throws, the run
        /// ends with `RunError.Code.secretSource`.
        public var secrets: (@Sendable (_ name: String) async throws -> String?)?
        /// The path of the file for the states of the graphs, which they start with and store their new states in. If `nil`,
        /// they start with the default values and store nothing; a resumed run uses the file of the earlier run.
        public var stateFile: String?
        /// Whether the body of each request and response is kept in the folder of the results, not only those of failed
        /// responses.
        public var keepsBodies = false
        /// Whether the snapshots of the manifest are written instead of compared with responses. The run then needs a folder for
        /// its results.
        public var updatesSnapshots = false
        /// The observers, which receive every event while the run waits.
        public var observers: [any Observer] = []
        /// The maximum number of events that are buffered for a slow reader, at least 1.
        public var eventCapacity = 16_384
        /// The paths of steps that are paused from the start, until ``ManifestRun/unpause(step:)``. If a path is not that of
        /// a step, the run ends with `RunError.Code.unknownStep` before anything is sent.
        public var pausedSteps: [String] = []

        /// Creates options; see the properties.
        public init(
            usesMock: Bool = false,
            transport: (any ManifestTransport)? = nil,
            clock: any Clock<Duration> = ContinuousClock(),
            secrets: (@Sendable (_ name: String) async throws -> String?)? = nil,
            stateFile: String? = nil,
            keepsBodies: Bool = false,
            updatesSnapshots: Bool = false,
            observers: [any Observer] = [],
            eventCapacity: Int = 16_384,
            pausedSteps: [String] = []
        ) {
            self.usesMock = usesMock
            self.transport = transport
            self.clock = clock
            self.secrets = secrets
            self.stateFile = stateFile
            self.keepsBodies = keepsBodies
            self.updatesSnapshots = updatesSnapshots
            self.observers = observers
            self.eventCapacity = eventCapacity
            self.pausedSteps = pausedSteps
        }

        /// Returns the options of a session.
        ///
        /// - Parameter variables: The environment variables.
        func session(variables: [String: String]) -> RunOptions {
            var session = RunOptions()
            session.isEmbedded = true
            session.variables = variables
            session.usesMock = usesMock
            session.transport = transport.map { ProvidedTransport($0) }
            session.clock = ProgramClock(clock)
            session.findSecret = secrets
            session.stateFile = stateFile
            session.keepsBodies = keepsBodies
            session.updatesSnapshots = updatesSnapshots
            session.pausedSteps = pausedSteps
            return session
        }
    }
}

/// The clock of a program as that of a run.
private struct ProgramClock: RunClock {
    private let elapsed: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void
    private let state = TimeState()

    init(_ clock: any Clock<Duration>) { self.init(opened: clock) }

    private init<Opened: Clock<Duration>>(opened clock: Opened) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(for: $0) }
    }

    var now: Duration { state.advance(to: elapsed()) }

    func sleep(for duration: Duration) async throws {
        let end = now + duration
        do {
            try await wait(duration)
        } catch {
            try Task.checkCancellation()
            try await Task.sleep(for: duration)
        }
        // What has been waited for is over, or the run would wait for it again.
        state.end(at: end, elapsed: elapsed())
    }

    /// The time of the run, which never goes back.
    private final class TimeState: Sendable {
        /// The latest time, and how far it is ahead of the clock.
        private let state = Mutex((now: Duration.zero, lead: Duration.zero))

        func advance(to elapsed: Duration) -> Duration {
            state.withLock { state in
                state.now = max(state.now, elapsed + state.lead)
                return state.now
            }
        }

        func end(at end: Duration, elapsed: Duration) {
            state.withLock { $0.lead = max($0.lead, end - elapsed) }
        }
    }
}
