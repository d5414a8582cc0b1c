#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The results of a run cannot be written; its message names the path and says why.
package struct ResultsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file or folder.
    package let path: String
    /// What cannot be done, and why, in one sentence without a full stop.
    package let description: String

    /// A reason of our own.
    init(path: String, _ description: String) {
        self.path = path
        self.description = description
    }

    /// What the system said, by default just now: “cannot write 'results/run.json': No space left on device”.
    init(cannot action: String, _ path: String, code: Int32 = errno) {
        self.init(path: path, "cannot \(action) '\(path)': \(String(cString: strerror(code)))")
    }
}
