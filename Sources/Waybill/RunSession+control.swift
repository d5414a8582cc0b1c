import WaybillExecution

/// Functions that steer a run while it is running. All of them may be called from anywhere, including an observer, and
/// return at once. Steps are named by their paths, as in events (`main.login`, `main.items[3]`). A step includes the
/// steps inside it.
extension RunSession {
    /// Pauses the run: nothing new starts, and transfers wait. Waiting times and deadlines keep running.
    package func pause() { options.control.pause() }

    /// Continues the run. Steps that were paused individually stay paused.
    package func unpause() { options.control.unpause() }

    /// Pauses a step, even if it has not started.
    package func pause(step path: String) { options.control.pause(step: path) }

    /// Continues a step that was paused individually.
    package func unpause(step path: String) { options.control.unpause(step: path) }

    /// Cancels a step. A step that has not started will not run. The steps that contain it end as cancelled too.
    package func cancel(step path: String) { options.control.cancel(step: path) }

    /// Cancels all running steps that call an endpoint.
    package func cancel(endpoint name: String) { options.control.cancel(endpoint: name) }

    /// Starts nothing new except the steps of `finally`. Running requests have ten seconds to finish; then they are
    /// cancelled.
    package func stop() { options.control.stop() }

    /// Cancels everything except the steps of `finally`, which still run.
    package func cancel() { options.control.cancel() }

    /// Cancels everything, including the steps of `finally`.
    package func cancelAll() { options.control.cancelAll() }
}
