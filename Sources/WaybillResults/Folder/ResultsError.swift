import WaybillPlatform
import WaybillRuntime

/// An error in writing or reading the results of a run. Its message names the path and the reason.
package struct ResultsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What failed, and why, in one sentence without a full stop.
    package let description: String
    /// Whether a wait or work ended early because its result was no longer needed.
    package let wasStopped: Bool
    /// Whether a path must not be written to, so that nothing was done.
    package let isRefusal: Bool

    /// Creates an error with a message.
    init(_ description: String, wasStopped: Bool = false, isRefusal: Bool = false) {
        self.description = description
        self.wasStopped = wasStopped
        self.isRefusal = isRefusal
    }

    /// The error of a path that must not be written to.
    static func refused(_ reason: String) -> ResultsError { ResultsError(reason, isRefusal: true) }

    /// The error of work on a file that ended early.
    static func stopped(_ path: String) -> ResultsError {
        ResultsError("'\(path)' was not completed, because the step was stopped", wasStopped: true)
    }

    /// Creates an error for a system call, by default the last one: “cannot write 'results/run.json': No space left on
    /// device”.
    init(cannot action: String, _ path: String, code: Int32 = errno) {
        self.init("cannot \(action) '\(path)': \(SystemError(code).description)")
    }
}
