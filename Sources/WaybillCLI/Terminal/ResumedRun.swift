import ArgumentParser
import WaybillDiagnostics
import WaybillPipeline
import WaybillPlan
import WaybillResults

/// A run of one manifest that is continued in its folder.
struct ResumedRun {
    /// The folder of its results.
    var folder: String
    /// The folder of the suite to which it belongs, which this process has locked.
    var suiteFolder: String?
    /// Whether the manifest may use files outside its folder, and write outside the results folder.
    let allowsOutside: Bool
    /// Whether requests are repeated that may have been sent without a recorded response.
    var repeatsUnsure = false
    /// Whether steps and elements whose failures were tolerated run again.
    var repeatsTolerated = false
    /// The part of the run that is continued.
    var part = RunResumption.Part.same
    /// The inputs and the environment variables.
    let options: PlanOptions
    /// The diagnostics about the options, which are reported with those about the manifest.
    let diagnostics: [Diagnostic]
    /// Whether a report that is written after several runs has every request.
    var needsExchanges = false
    let printing: RunOutputOptions
    let output: Output

    /// Returns what is needed to resume the run. If its journal cannot be read, reports the reason and throws the exit
    /// status.
    func resumption() throws -> RunResumption {
        do {
            return try RunResumption(
                of: folder,
                options: options,
                allowsOutside: allowsOutside,
                repeatsTolerated: repeatsTolerated,
                continuing: part
            )
        } catch {
            throw output.notRun(error.commandMessage)
        }
    }

    /// Checks whether the run, which has passed, is that of the manifest as it is now. Reports the reason if it is not, and
    /// throws the exit status.
    func check() throws {
        let resumption = try resumption()
        guard resumption.plan == nil else { return }
        output.report(diagnostics + resumption.diagnostics)
        throw ExitStatus.invalid
    }

    /// Resumes the run. Throws the exit status.
    func resume(_ reports: ReportOptions?) throws { try resume(try resumption(), reports) }

    /// Resumes the run. Throws the exit status.
    func resume(_ resumption: RunResumption, _ reports: ReportOptions?) throws {
        output.report(diagnostics + resumption.diagnostics)
        guard let plan = resumption.plan else { throw ExitStatus.invalid }
        let stateFile = resumption.record.state.file
        try reports?.check(RunFileList(of: plan, in: resumption.folder, stateFile: stateFile), output)
        var runOptions = RunOptions()
        runOptions.suiteFolder = suiteFolder
        runOptions.reportsFirstElements = needsExchanges
        runOptions.usesMock = resumption.record.isMocked
        runOptions.variables = options.variables
        runOptions.resumed = (resumption.record, resumption.folder)
        runOptions.repeatsUnsure = repeatsUnsure
        runOptions.keptFiles = resumption.keptFiles
        try printing.run(plan, runOptions, reports, output)
    }
}
