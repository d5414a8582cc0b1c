import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillPlan
import WaybillResults

/// `waybill resume`
struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Goes on with a run that failed, was stopped or was killed.",
        discussion: """
            A step that passed keeps its result and is never sent again, unless its method is safe (GET, HEAD) or \
            --repeat-unsure is given, and a step that still has to run needs something of it that the journal does not hold: \
            a secret output, or a cookie. Where only an unsafe request could provide that, nothing is sent, and the message \
            names it. The steps of a 'finally' that had started all run again. Inputs are those of the run; secrets and \
            sessions are fetched again. A manifest that was changed in what has already run is rejected.
            """
    )

    @OptionGroup var argument: RunArgument

    @Flag(
        help: """
            Send requests again that may have been sent and have no recorded response, and those that passed and are needed, \
            even if that may do their work twice.
            """
    )
    var repeatUnsure = false

    @Flag(help: "Also run the steps and elements again whose failures were tolerated (onFailure: continue).")
    var failed = false

    @OptionGroup var inputs: InputOptions

    @Flag(help: "Let the manifest use files outside its folder, and write outside the results folder.")
    var allowOutside = false

    @OptionGroup var printing: RunPrintingOptions

    @OptionGroup var reports: ReportOptions

    func run() throws {
        let output = Output(noColour: printing.noColor)
        let (options, findings) = inputs.planOptions()
        guard !findings.hasErrors else {
            output.report(findings)
            throw ExitStatus.invalid
        }
        if let suite = RunFolders.suite(of: argument.run) {
            return try resume(suite, options, findings, output)
        }
        if let absence = RunFolders.absence(of: argument.run) {
            output.report([Diagnostic("run-error", absence, at: nil)])
            throw ExitStatus.notCarriedOut
        }
        try resume(argument.folder, options, findings, reports, output)
    }

    /// Goes on with the runs of a suite that have not passed, one after the other, and throws the worst exit status.
    private func resume(
        _ suite: SuiteFolder,
        _ options: PlanOptions,
        _ findings: [Diagnostic],
        _ output: Output
    ) throws {
        var worst = ExitCode.success
        for member in suite.members where Signals.received == nil {
            guard let entry = RunFolders.entry(of: member.folder) else {
                let message = "'\(member.manifest)' did not begin, and is not run now"
                let help = ["Run it by itself: waybill run \(member.manifest)"]
                output.report([Diagnostic("run-error", message, at: nil, help: help)])
                worst = worst.orWorse(ExitStatus.notCarriedOut)
                continue
            }
            guard failed || entry.result?.outcome != .passed else { continue }
            output.write("\n\(PrintableText.oneLine(member.manifest))\n")
            do {
                try resume(member.folder, options, findings, nil, output)
            } catch let status as ExitCode {
                worst = worst.orWorse(status)
            }
        }
        let runs = suite.members.compactMap { RunFolders.entry(of: $0.folder)?.reported }
        try reports.write(for: runs, output, variables: options.variables)
        if !worst.isSuccess { throw worst }
    }

    private func resume(
        _ folder: String,
        _ options: PlanOptions,
        _ findings: [Diagnostic],
        _ reports: ReportOptions?,
        _ output: Output
    ) throws {
        let resumption: RunResumption
        do {
            resumption = try RunResumption(
                of: folder,
                options: options,
                allowsOutside: allowOutside,
                repeatsTolerated: failed
            )
        } catch {
            output.report([Diagnostic("run-error", error.message, at: nil)])
            throw ExitStatus.notCarriedOut
        }
        output.report(findings + resumption.diagnostics)
        guard let plan = resumption.plan else { throw ExitStatus.invalid }
        var runOptions = RunOptions()
        runOptions.usesMock = resumption.record.isMocked
        runOptions.variables = options.variables
        runOptions.resumed = (resumption.record, resumption.folder)
        runOptions.repeatsUnsure = repeatUnsure
        try printing.run(plan, runOptions, reports, output)
    }
}
