import WaybillPlatform

/// An error in writing or reading the results of a run. Its message names the path and the reason.
package struct ResultsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file or folder.
    package let path: String
    /// What failed, and why, in one sentence without a full stop.
    package internal(set) var description: String
    /// Whether the work was given up because it was told to stop.
    package internal(set) var wasStopped = false

    /// Creates an error with a message.
    init(path: String, _ description: String) {
        self.path = path
        self.description = description
    }

    /// Creates an error for a system call, by default the last one: “cannot write 'results/run.json': No space left on
    /// device”.
    init(cannot action: String, _ path: String, code: Int32 = errno) {
        self.init(path: path, "cannot \(action) '\(path)': \(String(cString: strerror(code)))")
    }
}
