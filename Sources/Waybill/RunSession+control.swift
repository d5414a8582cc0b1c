import WaybillExecution

/// What can be done with a run while it is under way. All of it may be called from anywhere, also from an observer, and
/// returns at once. Steps are named by their paths, as events have them (`main.login`, `main.items[3]`), and include what
/// is in them.
extension RunSession {
    /// Holds the run up: nothing new begins, and transfers wait. Times to wait and deadlines go on counting.
    package func pause() { options.control.pause() }

    /// Lets the run go on. Steps that are held up by themselves stay so.
    package func unpause() { options.control.unpause() }

    /// Holds a step up, also one that has not begun.
    package func pause(step path: String) { options.control.pause(step: path) }

    /// Lets a step go on that was held up by itself.
    package func unpause(step path: String) { options.control.unpause(step: path) }

    /// Cancels a step, also one that has not begun: it will not be run. What it is in ends as cancelled too.
    package func cancel(step path: String) { options.control.cancel(step: path) }

    /// Cancels all steps that call an endpoint and are under way.
    package func cancel(endpoint name: String) { options.control.cancel(endpoint: name) }

    /// Lets nothing new begin but the steps of `finally`. What is under way may go on for ten seconds, and is cancelled
    /// then.
    package func stop() { options.control.stop() }

    /// Cancels everything but the steps of `finally`, which run.
    package func cancel() { options.control.cancel() }

    /// Cancels everything, also the steps of `finally`.
    package func cancelAll() { options.control.cancelAll() }
}
