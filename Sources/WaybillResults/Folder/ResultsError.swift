import WaybillFormats
import WaybillPlatform
import WaybillRuntime

/// An error in writing or reading the results of a run. Its message names the path and the reason.
package struct ResultsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What failed, and why, in one sentence without a full stop.
    package let message: String
    /// The rest of the sentence for people who use the command line; may be empty.
    package let command: String
    /// What decides how a run continues.
    package let kind: Kind

    /// What decides how a run continues after an error.
    package enum Kind: Sendable {
        /// A wait or work ended early because its result was no longer needed.
        case stopped
        /// A path must not be written to, so nothing was done.
        case refused
        /// The disk is full, or could not read or write: the run ends, and a resumed run continues the step.
        case disk
        /// A record does not fit its file. The disk is not the reason, so only the step fails.
        case record
        /// Anything else.
        case other
    }

    /// Whether a wait or work ended early because its result was no longer needed.
    package var wasStopped: Bool { kind == .stopped }

    /// Creates an error with a message.
    init(_ message: String, _ kind: Kind = .other, command: String = "") {
        self.message = message
        self.command = command
        self.kind = kind
    }

    /// The whole sentence.
    package var description: String { message + command }

    /// This error, if it ends the run.
    var endingRun: ResultsError { ResultsError(message, .disk, command: command) }

    /// The error of a path that must not be written to.
    static func refused(_ reason: String) -> ResultsError { ResultsError(reason, .refused) }

    /// The error of a record of which a part would be lost in a file.
    static func lost(_ record: UnwritableRecord, in path: String) -> ResultsError {
        ResultsError("cannot write '\(path)': \(record.reason)", .record)
    }

    /// The error of work on a file that ended early.
    static func stopped(_ path: String) -> ResultsError {
        ResultsError("'\(path)' was not completed, because the step was stopped", .stopped)
    }

    /// The error of records that are not what the step expects.
    package static func unexpected(_ path: String) -> ResultsError {
        ResultsError("'\(path)' was not completed, because its records are not what is expected", .record)
    }

    /// Creates an error for a system call, by default the last one: “cannot write 'results/run.json': No space left on
    /// device”.
    init(cannot action: String, _ path: String, code: Int32 = errno) {
        let isOfDisk = [ENOSPC, EDQUOT, EFBIG, EIO].contains(code)
        self.init("cannot \(action) '\(path)': \(SystemError(code).description)", isOfDisk ? .disk : .other)
    }
}
