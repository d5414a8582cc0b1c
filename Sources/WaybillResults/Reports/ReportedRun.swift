/// A run that reports are written about.
package struct ReportedRun: Sendable {
    /// The result of the run.
    package let result: RunResult
    /// The run's folder, with its journal and the bodies of failed responses.
    package let folder: String

    /// A run whose results are in a folder.
    package init(_ result: RunResult, in folder: String) {
        self.result = result
        self.folder = folder
    }
}
