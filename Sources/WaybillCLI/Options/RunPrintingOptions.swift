import ArgumentParser
import Waybill
import WaybillJSON
import WaybillPlan
import WaybillResults

/// What is printed of a run.
struct RunPrintingOptions: ParsableArguments {
    /// What goes to standard output.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        /// Lines for people.
        case human
        /// Each event as a JSON object.
        case ndjson
        /// The outputs alone, when the run has ended; failures go to standard error.
        case outputs
    }

    @Option(help: "What goes to standard output: human, ndjson or outputs.")
    var format = Format.human

    @Flag(name: .shortAndLong, help: "Print failures only.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print each request too, also those of forEach.")
    var verbose = false

    @Flag(help: "Print without colours.")
    var noColor = false

    /// Runs a plan and prints what was asked for. Throws the exit status.
    func run(_ plan: Plan, _ options: RunOptions, _ reports: ReportOptions?, _ output: Output) throws {
        let printsData = format == .outputs
        let printer = RunPrinter(output, quiet: quiet || printsData, verbose: verbose, toErrorStream: printsData)
        var options = options
        options.reportsElements = verbose
        options.warn = { output.report([$0]) }
        switch format {
        case .human, .outputs: options.observers = [printer]
        case .ndjson: options.observers = [EventPrinter(output)]
        }
        let report = try SessionRunner(Pipeline.session(for: plan, options), output).run()
        switch format {
        case .human: printer.finish(report.result, folder: report.folder)
        case .outputs:
            output.write(JSONWriter(layout: .pretty).string(report.outputs) + "\n")
            printer.finish(report.result, folder: report.folder)
        case .ndjson: break
        }
        try reports?.write(for: [ReportedRun(report.result, in: report.folder)], output, variables: options.variables)
        try SessionRunner.end(with: report)
    }
}
