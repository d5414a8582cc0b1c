import WaybillPlatform
import WaybillRuntime

/// An error in writing or reading the results of a run. Its message names the path and the reason.
package struct ResultsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What failed, and why, in one sentence without a full stop.
    package let description: String
    /// Whether a wait or work ended early because its result was no longer needed.
    package let wasStopped: Bool
    /// Whether the disk is full, or could not read or write.
    let isOfDisk: Bool

    /// Creates an error with a message.
    init(_ description: String, wasStopped: Bool = false, isOfDisk: Bool = false) {
        self.description = description
        self.wasStopped = wasStopped
        self.isOfDisk = isOfDisk
    }

    /// The error of work on a file that ended early.
    static func stopped(_ path: String) -> ResultsError {
        ResultsError("'\(path)' was not completed, because the step was stopped", wasStopped: true)
    }

    /// Creates an error for a system call, by default the last one: “cannot write 'results/run.json': No space left on
    /// device”.
    init(cannot action: String, _ path: String, code: Int32 = errno) {
        let isOfDisk = [ENOSPC, EDQUOT, EFBIG, EIO].contains(code)
        self.init("cannot \(action) '\(path)': \(SystemError(code).description)", isOfDisk: isOfDisk)
    }
}
