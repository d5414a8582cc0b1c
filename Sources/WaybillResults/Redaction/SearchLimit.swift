import WaybillJSON

/// When the search for secrets in a long text stops. A text of less than 64 KiB is always searched.
enum SearchLimit {
    /// When the deadline of the step has passed, so that nothing uses the result.
    case deadline
    /// Also when the task was cancelled.
    case task

    /// Throws if the search must stop.
    func check() throws(SearchStopped) {
        let isReached = self == .task ? WorkLimit.isReached : WorkLimit.isDeadlinePassed
        if isReached { throw SearchStopped() }
    }
}

/// The time of a step was over before a text was searched for secrets.
package struct SearchStopped: Error {}
