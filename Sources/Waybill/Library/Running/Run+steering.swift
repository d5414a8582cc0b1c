import WaybillExecution

/// What can be done with a run while it is under way. All of it may be called from anywhere, also from an ``Observer``, and
/// returns at once; when the run has ended it does nothing.
///
/// Steps are named by their paths, as events have them (`main.login`, `main.items[3]`), and include what is in them.
extension Run {
    /// Lets nothing new begin but the steps of `finally`. What is under way may go on for ten seconds, and is cancelled then.
    public func stop() { control.stop() }

    /// Cancels everything that is under way; the steps of `finally` still run.
    public func cancel() { control.cancel() }

    /// Cancels everything, also the steps of `finally`.
    public func cancelAll() { control.cancelAll() }

    /// Cancels a step, with the steps inside it, also one that has not started: it will not be run. The rest of the run
    /// continues, and a later step that needs its outputs fails.
    public func cancel(step path: String) { control.cancel(step: path) }

    /// Cancels all steps that call an endpoint and are in flight. The rest of the run continues.
    public func cancel(endpoint name: String) { control.cancel(endpoint: name) }

    /// Holds the run up: nothing new begins, and transfers wait. Times to wait (`delay`, `retry`, `until`) and deadlines go
    /// on counting.
    public func pause() { control.pause() }

    /// Lets the run go on. Steps that are held up by themselves stay so.
    public func unpause() { control.unpause() }

    /// Holds a step up, also one that has not begun.
    public func pause(step path: String) { control.pause(step: path) }

    /// Lets a step go on that was held up by itself.
    public func unpause(step path: String) { control.unpause(step: path) }
}
