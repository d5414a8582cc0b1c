package import WaybillDiagnostics
import WaybillManifest
package import WaybillPlan

extension PlanOptions {
    /// Sets the environment variables; `nil` means those of this process.
    package mutating func setVariables(_ variables: [String: String]? = nil) {
        self.variables = variables ?? ProcessVariables.all
        variablesBeyondUTF8 = variables == nil ? ProcessVariables.namesBeyondUTF8 : []
    }

    /// Adds the values of inputs and environment variables from files.
    ///
    /// Later files take precedence over earlier ones. A variable that the options already have, from the real
    /// environment, takes precedence over any file, so that a user can change it for one run.
    ///
    /// - Returns: The diagnostics about the files. A file with an error is ignored.
    package mutating func read(inputFiles: [String], environmentFiles: [String]) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        readFiles += inputFiles + environmentFiles
        for path in inputFiles {
            let (file, found) = InputsFile.read(path)
            diagnostics += found
            if let file { self.inputFiles.append(file) }
        }
        var fromFiles: [String: String] = [:]
        for path in environmentFiles {
            let (variables, found) = EnvironmentFile.read(path)
            diagnostics += found
            fromFiles.merge(variables ?? [:]) { _, later in later }
        }
        variables.merge(fromFiles) { real, _ in real }
        return diagnostics
    }
}
