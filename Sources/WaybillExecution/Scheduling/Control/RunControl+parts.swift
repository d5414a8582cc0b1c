import Synchronization
import WaybillRuntime
import WaybillTransport

/// The functions that the parts of a run call.
extension RunControl {
    /// Runs all graphs so that they can be stopped, and reports in the meantime what is paused and unpaused.
    func execute<Value: Sendable>(
        on clock: any RunClock,
        report: @escaping @Sendable (_ isPaused: Bool, _ step: String?) -> Void,
        _ body: @escaping @Sendable () async -> Value
    ) async -> Value {
        state.withLock { state in
            state.clock = clock
            if state.pauses.isRunPaused { state.pausedSince = clock.now }
        }
        return await withTaskGroup(of: Value?.self) { group in
            group.addTask { await self.run(.run, body).value }
            group.addTask {
                for await change in self.changes { report(change.isPaused, change.step) }
                return nil
            }
            var value: Value?
            while let next = await group.next() {
                guard let next else { continue }
                value = next
                finish()
            }
            state.withLock { $0.graceTimer?.cancel() }
            guard let value else { preconditionFailure("the graphs returned no value") }
            return value
        }
    }

    /// Runs a part of the run, such as a step or element, so that it can be cancelled by itself, and returns whether it
    /// was. Nothing else may run in the current task.
    func run<Value: Sendable>(
        _ part: Part,
        _ body: @Sendable () async -> Value
    ) async -> (value: Value, wasCancelled: Bool) {
        let activity = Activity()
        let (number, isCancelled) = state.withLock { state in
            let number = state.number()
            state.activities[number] = (part, activity)
            return (number, state.hasCancelled(part))
        }
        if isCancelled { activity.cancel() }
        defer { state.withLock { $0.activities[number] = nil } }
        let value = await activity.run(body)
        return (value, activity.isCancelled)
    }

    /// Runs an operation that continues when the task that waits for it is cancelled, and that only `cancelAll`
    /// cancels.
    func unstoppable<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        await Task { await run(.final, body).value }.value
    }

    /// Waits; returns `false` if the run was stopped or the task was cancelled in the meantime.
    func wait(for duration: Duration, on clock: any RunClock) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await self.run(.wait) { (try? await clock.sleep(for: duration)) != nil }.value
            }
            return await group.next() ?? false
        }
    }

    /// Waits while a step is paused.
    func waitUntilUnpaused(_ path: String) async {
        let gate = state.withLock { state -> (number: Int, opening: Awaited<Void>)? in
            guard state.pauses.holds(path) else { return nil }
            let gate = (state.number(), Awaited<Void>())
            state.gates[gate.0] = (path, gate.1)
            return gate
        }
        await gate?.opening.value {
            guard let (number, opening) = gate else { return }
            state.withLock { $0.gates[number] = nil }
            opening.set(())
        }
    }

    /// The number of steps that wait because they are paused, for tests.
    var heldCount: Int { state.withLock { $0.gates.count } }

    /// Whether a step is paused.
    func isPaused(_ path: String) -> Bool { state.withLock { $0.pauses.holds(path) } }

    /// Runs an operation with a transfer of a step, and pauses the transfer whenever the step is paused.
    func holding<Value: Sendable>(
        _ monitor: TransferMonitor,
        of path: String,
        _ body: () async -> Value
    ) async -> Value {
        let number = state.withLock { state in
            let number = state.number()
            state.transfers[number] = (path, monitor)
            if state.pauses.holds(path) { monitor.pause() }
            return number
        }
        defer { state.withLock { $0.transfers[number] = nil } }
        return await body()
    }

    /// Calls a handler when the run is stopped; immediately if it is already being stopped.
    package func whenStopped(_ handler: @escaping @Sendable () -> Void) {
        let isStopping = state.withLock { state in
            state.stopHandlers.append(handler)
            return state.isStopping
        }
        if isStopping { handler() }
    }
}

extension RunControl.State {
    /// Whether a part that starts now was cancelled before.
    fileprivate func hasCancelled(_ part: RunControl.Part) -> Bool {
        switch part {
        // Stopped before it started: there is no running request to wait for.
        case .run, .wait: isStopping
        case .final: isCancelled
        case .step(let path, _): cancelledSteps.contains { StepPath.isInside(path, $0) }
        }
    }
}

/// Paths of steps, as in events: `main.items[3].get`.
enum StepPath {
    /// Whether a path is that of a step itself, of one of its elements, or of something inside it.
    static func isInside(_ path: String, _ step: String) -> Bool {
        guard path.utf8.starts(with: step.utf8) else { return false }
        let next = path.utf8.dropFirst(step.utf8.count).first
        return next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
    }
}
