import WaybillExecution

/// Functions that steer a run while it is running. All of them may be called from anywhere, including an ``Observer``,
/// and return at once. They have no effect after the run has finished.
///
/// Steps are named by their paths, as in events (`main.login`, `main.items[3]`) and ``RunPlan/steps``; the name of a graph
/// is the path of all its steps. A step includes the steps inside it. A path that no step has is an error, because the
/// program would otherwise wait for something that never happens: the functions throw `RunError.Code.unknownStep`.
extension ManifestRun {
    /// Starts nothing new except the steps of `finally`. Running requests have ten seconds to finish; then they are
    /// cancelled.
    public func stop() { control.stop() }

    /// Cancels everything that is running. The steps of `finally` still run.
    public func cancel() { control.cancel() }

    /// Cancels everything, including the steps of `finally`.
    public func cancelAll() { control.cancelAll() }

    /// Cancels a step and the steps inside it. A step that has not started will not run. The rest of the run continues,
    /// and a later step that needs its outputs fails.
    public func cancel(step path: String) throws(RunError) {
        try plan.check(step: path)
        control.cancel(step: path)
    }

    /// Cancels all running steps that call an endpoint. The rest of the run continues.
    ///
    /// - Throws: `RunError.Code.unknownEndpoint` if no step calls an endpoint with this name.
    public func cancel(endpoint name: String) throws(RunError) {
        try plan.check(endpoint: name)
        control.cancel(endpoint: name)
    }

    /// Pauses the run: nothing new starts, and transfers wait. Waiting times (`delay`, `retry`, `until`) and deadlines
    /// keep running.
    public func pause() { control.pause() }

    /// Continues the run. Steps that were paused individually stay paused.
    public func unpause() { control.unpause() }

    /// Pauses a step, even if it has not started.
    public func pause(step path: String) throws(RunError) {
        try plan.check(step: path)
        control.pause(step: path)
    }

    /// Continues a step that was paused individually.
    public func unpause(step path: String) throws(RunError) {
        try plan.check(step: path)
        control.unpause(step: path)
    }
}
