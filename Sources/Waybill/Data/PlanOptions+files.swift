package import WaybillDiagnostics
import WaybillManifest
package import WaybillPlan

extension PlanOptions {
    /// Takes in what files say of inputs and environment variables.
    ///
    /// Later files win over earlier ones. A variable that the options have already, from the real environment, wins over
    /// any file, so that a person can change it for one run.
    ///
    /// - Returns: What is wrong with the files; one with an error is left out.
    package mutating func read(inputFiles: [String], environmentFiles: [String]) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        for path in inputFiles {
            let (file, findings) = InputsFile.read(path)
            diagnostics += findings
            if let file { self.inputFiles.append(file) }
        }
        var fromFiles: [String: String] = [:]
        for path in environmentFiles {
            let (variables, findings) = EnvironmentFile.read(path)
            diagnostics += findings
            fromFiles.merge(variables ?? [:]) { _, later in later }
        }
        variables.merge(fromFiles) { real, _ in real }
        return diagnostics
    }
}
