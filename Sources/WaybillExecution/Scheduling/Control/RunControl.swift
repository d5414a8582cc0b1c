import Synchronization
import WaybillRuntime
import WaybillTransport

/// Controls a run while it is running, for signal handlers and users of the library. All functions may be called from
/// anywhere, even from an observer, and return immediately.
///
/// Steps are named by their paths, as in events: `main.login`, `main.items[3]`. A step includes everything inside it.
package final class RunControl: Sendable {
    /// A part of the run that can be cancelled.
    enum Part {
        /// All graphs.
        case run
        /// A step or element, and the endpoint that it calls.
        case step(path: String, endpoint: String?)
        /// A wait after which something new would start.
        case wait
        /// The steps of a `finally`.
        case final
    }

    struct State {
        var isStopping = false
        var isCancelled = false
        var pauses = PauseState()
        /// How long the run was paused before, and when the current pause started.
        var pausedTime = Duration.zero
        var pausedSince: Duration?
        /// The steps that are cancelled even if they start later.
        var cancelledSteps: [String] = []
        var activities: [Int: (part: Part, activity: Activity)] = [:]
        var transfers: [Int: (path: String, monitor: TransferMonitor)] = [:]
        var gates: [Int: (path: String, opening: Awaited<Void>)] = [:]
        var stopHandlers: [@Sendable () -> Void] = []
        /// The clock of the run, once it has started.
        var clock: (any RunClock)?
        /// Cancels the requests that are still in flight at the end of the grace period.
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

        /// Returns a unique number.
        mutating func number() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    /// How long running requests may continue after `stop`.
    static let gracePeriod = Duration.seconds(10)

    let state = Mutex(State())
    /// What was paused and unpaused, for events; the step is `nil` for the whole run.
    let changes: AsyncStream<(isPaused: Bool, step: String?)>
    private let changed: AsyncStream<(isPaused: Bool, step: String?)>.Continuation

    /// The control of a run that is neither paused nor stopped.
    package init() {
        (changes, changed) = AsyncStream.makeStream()
    }

    /// Whether the run is being stopped, so that nothing new may start.
    package var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Whether everything was cancelled, including the steps of `finally`.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether a running step was cancelled: by itself, by what it is in, or with the run. A deadline does not count.
    ///
    /// - Parameter isFinal: Whether it is a step of a `finally`.
    func hasCancelled(step path: String, isFinal: Bool) -> Bool {
        state.withLock { state in
            state.activities.values.contains { part, activity in
                switch part {
                case .run: !isFinal && activity.isCancelled
                case .final: isFinal && activity.isCancelled
                case .step(let other, _): StepPath.isInside(path, other) && activity.isCancelled
                case .wait: false
                }
            }
        }
    }

    // MARK: Pausing

    /// How long the run has been paused so far, the current pause included.
    var pausedTime: Duration {
        state.withLock { $0.pausedTime + $0.currentPause }
    }

    /// Pauses the run, or a step, even one that has not started: nothing new starts in it, and its transfers in flight
    /// wait. Times to wait (`delay`, `retry`, `until`) and deadlines continue. A run that is being stopped is not paused.
    package func pause(step: String? = nil) {
        state.withLock { state in
            guard !state.isStopping, state.pauses.pause(step) else { return }
            if step == nil { state.pausedSince = state.clock?.now }
            for transfer in state.transfers.values where state.pauses.holds(transfer.path) { transfer.monitor.pause() }
            changed.yield((true, step))
        }
    }

    /// Unpauses the run, or a step that was paused by itself. With the run, such steps remain paused.
    package func unpause(step: String? = nil) {
        let open = state.withLock { state -> [Awaited<Void>] in
            guard state.pauses.unpause(step) else { return [] }
            if step == nil { state.endPause() }
            changed.yield((false, step))
            return state.resumeWaiting()
        }
        for gate in open { gate.set(()) }
    }

    // MARK: Cancelling

    /// Cancels a step, with the steps inside it. A step that has not started will not run. The rest of the run
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

    /// Cancels everything except the steps of `finally`, which still run.
    package func cancel() {
        stop()
        cancel { if case .run = $0 { true } else { false } }
    }

    /// Cancels everything, including the steps of `finally`.
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

    /// Stops the run: nothing new starts, except the steps of `finally`. Running requests may continue for ten seconds,
    /// and are then cancelled. Whatever was paused continues.
    package func stop() {
        let (open, handlers) =
            state.withLock { state in
                guard !state.isStopping else { return ([], []) }
                state.isStopping = true
                for step in state.pauses.end() { changed.yield((false, step)) }
                state.endPause()
                if let clock = state.clock { state.graceTimer = timer(on: clock) }
                return (state.resumeWaiting(), state.stopHandlers)
            } as ([Awaited<Void>], [@Sendable () -> Void])
        for gate in open { gate.set(()) }
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
        // Not under the lock, because a cancelled activity may call this control.
        for activity in activities { activity.cancel() }
    }

    /// Finishes the stream of changes, because the run has finished.
    func finish() { changed.finish() }
}

extension RunControl.State {
    /// Unpauses whatever is no longer paused: transfers now, steps when the caller opens the returned gates.
    fileprivate mutating func resumeWaiting() -> [Awaited<Void>] {
        for transfer in transfers.values where !pauses.holds(transfer.path) { transfer.monitor.unpause() }
        let open = gates.filter { !pauses.holds($0.value.path) }
        for number in open.keys { gates[number] = nil }
        return open.sorted { $0.key < $1.key }.map(\.value.opening)
    }
}
