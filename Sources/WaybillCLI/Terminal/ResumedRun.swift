import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillPlan
import WaybillResults

/// A run of one manifest that is continued in its folder.
struct ResumedRun {
    /// The folder of its results.
    let folder: String
    /// The folder of the suite to which it belongs, which this process has locked.
    var suiteFolder: String?
    /// Whether the manifest may use files outside its folder, and write outside the results folder.
    var allowsOutside = false
    /// Whether requests are repeated that may have been sent without a recorded response.
    var repeatsUnsure = false
    /// Whether steps and elements whose failures were tolerated run again.
    var repeatsTolerated = false
    /// The part of the run that is continued.
    var part = RunResumption.Part.same

    /// Returns the content of its journal. If it cannot be read, reports the reason and throws the exit status.
    func record(_ output: Output) throws -> RunRecord {
        do {
            return try RunRecord(folder: folder)
        } catch {
            output.report([Diagnostic("run-error", "\(error)", at: nil)])
            throw ExitStatus.notRun
        }
    }

    /// Returns what is needed to resume the run. If its journal cannot be read, reports the reason and throws the exit
    /// status.
    func resumption(_ options: PlanOptions, _ output: Output) throws -> RunResumption {
        do {
            return try RunResumption(
                of: folder,
                options: options,
                allowsOutside: allowsOutside,
                repeatsTolerated: repeatsTolerated,
                continuing: part
            )
        } catch {
            output.report([Diagnostic("run-error", error.message, at: nil)])
            throw ExitStatus.notRun
        }
    }

    /// Resumes the run. Throws the exit status.
    ///
    /// - Parameter diagnostics: The diagnostics about the options, which are reported with those about the manifest.
    func resume(
        _ options: PlanOptions,
        _ diagnostics: [Diagnostic],
        _ printing: RunOutputOptions,
        _ reports: ReportOptions?,
        _ output: Output
    ) throws {
        try resume(try resumption(options, output), options, diagnostics, printing, reports, output)
    }

    /// Resumes the run. Throws the exit status.
    func resume(
        _ resumption: RunResumption,
        _ options: PlanOptions,
        _ diagnostics: [Diagnostic],
        _ printing: RunOutputOptions,
        _ reports: ReportOptions?,
        _ output: Output
    ) throws {
        output.report(diagnostics + resumption.diagnostics)
        guard let plan = resumption.plan else { throw ExitStatus.invalid }
        let stateFile = resumption.record.state.file
        try reports?.check(RunFileList(of: plan, in: resumption.folder, stateFile: stateFile), output)
        var runOptions = RunOptions()
        runOptions.suiteFolder = suiteFolder
        runOptions.usesMock = resumption.record.isMocked
        runOptions.variables = options.variables
        runOptions.resumed = (resumption.record, resumption.folder)
        runOptions.repeatsUnsure = repeatsUnsure
        runOptions.keptFiles = resumption.keptFiles
        try printing.run(plan, runOptions, reports, output)
    }
}
