import Synchronization
import WaybillTransport

/// Controls a run while it is running, from signal handlers and from users of the library. All of it may be called from
/// anywhere, also from an observer, and returns at once.
///
/// Steps are named by their paths, as events have them: `main.login`, `main.items[3]`. A step includes what is in it.
package final class RunControl: Sendable {
    /// A part of the run that can be cancelled.
    enum Part {
        /// All graphs.
        case run
        /// A step or element, and the endpoint that it calls.
        case step(path: String, endpoint: String?)
        /// A time to wait, after which something new would begin.
        case wait
        /// The steps of a `finally`.
        case final
    }

    struct State {
        var isStopping = false
        var isCancelled = false
        var pauses = PauseState()
        /// How long the run was paused, and since when it is.
        var pausedTime = Duration.zero
        var pausedSince: Duration?
        /// The steps that are cancelled also when they come later.
        var cancelledSteps: [String] = []
        var activities: [Int: (part: Part, activity: Activity)] = [:]
        var transfers: [Int: (path: String, monitor: TransferMonitor)] = [:]
        var gates: [Int: (path: String, continuation: CheckedContinuation<Void, Never>)] = [:]
        /// Gates whose task was cancelled before it came to wait.
        var openGates: Set<Int> = []
        var stopHandlers: [@Sendable () -> Void] = []
        /// The clock of the run, once it has started.
        var clock: (any RunClock)?
        /// Cancels what is in flight when the run has been stopped for long enough.
        var graceTimer: Task<Void, Never>?
        var lastNumber = 0

        /// Adds the current pause of the run to the earlier ones.
        mutating func endPause() {
            pausedTime += currentPause
            pausedSince = nil
        }

        /// How long the run has been paused since it was last running.
        var currentPause: Duration {
            guard let clock, let pausedSince else { return .zero }
            return clock.now - pausedSince
        }

        /// A number that nothing else has.
        mutating func number() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    /// How long running requests may continue after `stop`.
    static let gracePeriod = Duration.seconds(10)

    let state = Mutex(State())
    /// What was held up and let go, for events; the step is `nil` for the whole run.
    let changes: AsyncStream<(isPaused: Bool, step: String?)>
    private let changed: AsyncStream<(isPaused: Bool, step: String?)>.Continuation

    /// A run that has been told nothing.
    package init() {
        (changes, changed) = AsyncStream.makeStream()
    }

    /// Whether nothing new may begin.
    package var isStopping: Bool { state.withLock { $0.isStopping } }

    // MARK: Pausing

    /// How long the run has been paused so far, the current pause included.
    var pausedTime: Duration {
        state.withLock { $0.pausedTime + $0.currentPause }
    }

    /// Pauses the run: nothing new starts, and transfers in flight wait. Times to wait (`delay`, `retry`, `until`) and
    /// deadlines continue. A run that is being stopped is not paused.
    package func pause() { pause(nil) }

    /// Lets the run go on. Steps that are held up by themselves stay so.
    package func unpause() { unpause(nil) }

    /// Holds a step up, also one that has not begun.
    package func pause(step path: String) { pause(.some(path)) }

    /// Lets a step go on that was held up by itself.
    package func unpause(step path: String) { unpause(.some(path)) }

    private func pause(_ step: String?) {
        state.withLock { state in
            guard !state.isStopping, state.pauses.pause(step) else { return }
            if step == nil { state.pausedSince = state.clock?.now }
            for transfer in state.transfers.values where state.pauses.holds(transfer.path) { transfer.monitor.pause() }
            changed.yield((true, step))
        }
    }

    private func unpause(_ step: String?) {
        let continuations = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.pauses.unpause(step) else { return [] }
            if step == nil { state.endPause() }
            changed.yield((false, step))
            return state.letGo()
        }
        for continuation in continuations { continuation.resume() }
    }

    // MARK: Cancelling

    /// Cancels a step, with the steps inside it, also one that has not started: it will not be run. The rest of the run
    /// continues.
    package func cancel(step path: String) {
        cancel { part in
            guard case .step(let own, _) = part else { return false }
            return StepPath.isInside(own, path)
        } noting: {
            $0.cancelledSteps.append(path)
        }
    }

    /// Cancels all steps that call an endpoint and are running.
    package func cancel(endpoint name: String) {
        cancel { part in
            guard case .step(_, let endpoint?) = part else { return false }
            return endpoint.utf8.elementsEqual(name.utf8)
        }
    }

    /// Cancels everything but the steps of `finally`, which run.
    package func cancel() {
        stop()
        cancel { if case .run = $0 { true } else { false } }
    }

    /// Cancels everything, also the steps of `finally`.
    package func cancelAll() {
        stop()
        cancel { part in
            switch part {
            case .run, .final: true
            case .step, .wait: false
            }
        } noting: {
            $0.isCancelled = true
        }
    }

    /// Starts nothing new but the steps of `finally`. Running requests may continue for ten seconds, and are cancelled
    /// then. What was held up goes on.
    package func stop() {
        let (continuations, handlers) =
            state.withLock { state in
                guard !state.isStopping else { return ([], []) }
                state.isStopping = true
                for step in state.pauses.end() { changed.yield((false, step)) }
                state.endPause()
                if let clock = state.clock { state.graceTimer = timer(on: clock) }
                return (state.letGo(), state.stopHandlers)
            } as ([CheckedContinuation<Void, Never>], [@Sendable () -> Void])
        for continuation in continuations { continuation.resume() }
        for handler in handlers { handler() }
        cancel { if case .wait = $0 { true } else { false } }
    }

    private func timer(on clock: any RunClock) -> Task<Void, Never> {
        Task {
            guard (try? await clock.sleep(for: Self.gracePeriod)) != nil else { return }
            cancel { if case .run = $0 { true } else { false } }
        }
    }

    private func cancel(_ isMeant: (Part) -> Bool, noting: (inout State) -> Void = { _ in }) {
        let activities = state.withLock { state in
            noting(&state)
            return state.activities.values.filter { isMeant($0.part) }.map(\.activity)
        }
        // Not under the lock: whoever is cancelled may ask something of this.
        for activity in activities { activity.cancel() }
    }

    /// Says that the run has ended: nothing changes any more.
    func finish() { changed.finish() }
}

extension RunControl.State {
    /// Lets what is not held up any more go on: transfers now, the rest by the continuations.
    fileprivate mutating func letGo() -> [CheckedContinuation<Void, Never>] {
        for transfer in transfers.values where !pauses.holds(transfer.path) { transfer.monitor.unpause() }
        let open = gates.filter { !pauses.holds($0.value.path) }
        for number in open.keys { gates[number] = nil }
        return open.sorted { $0.key < $1.key }.map(\.value.continuation)
    }
}
