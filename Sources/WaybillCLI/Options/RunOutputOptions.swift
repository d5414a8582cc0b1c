import ArgumentParser
import WaybillJSON
import WaybillPipeline
import WaybillPlan
import WaybillResults

/// What a run prints, and what it writes in addition to its results.
struct RunOutputOptions: ParsableArguments {
    /// What goes to standard output.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        /// Lines for people.
        case human
        /// Each event as a JSON object.
        case ndjson
        /// The outputs alone, when the run has finished; failures go to standard error.
        case outputs
    }

    @Option(help: "What goes to standard output: human, ndjson or outputs.")
    var format = Format.human

    @Flag(name: .shortAndLong, help: "Print failures only.")
    var quiet = false

    @Flag(
        name: .shortAndLong,
        help:
            "Also print requests and responses with their bodies, as 'curl -v' does, and elements, pages, polls and retries."
    )
    var verbose = false

    @Flag(help: "Print without colours.")
    var noColor = false

    @Flag(help: "Keep the bodies of all requests and responses, not only of the responses that failed.")
    var keepBodies = false

    @Flag(help: "Write the snapshots that 'expect' names instead of comparing responses with them.")
    var updateSnapshots = false

    /// Sets which requests and bodies the run reports and keeps.
    func set(_ options: inout RunOptions, _ reports: ReportOptions?) {
        options.reportsElements = verbose
        options.reportsBodies = verbose
        if reports?.needsExchanges == true { options.reportsFirstElements = true }
        options.keepsBodies = keepBodies
    }

    /// Runs a plan and prints what was asked for. Throws the exit status.
    func run(_ plan: Plan, _ options: RunOptions, _ reports: ReportOptions?, _ output: Output) throws {
        let printsData = format == .outputs
        let stream = printsData ? RunPrinter.Destination.error : .output
        let printer = RunPrinter(output, quiet: quiet || printsData, verbose: verbose, to: stream)
        defer { Output.removeLive(printer) }
        var options = options
        set(&options, reports)
        options.updatesSnapshots = updateSnapshots
        if !options.sendsNothing { options.exportTraces() }
        options.warn = { output.report([$0]) }
        options.observers = format == .ndjson ? [EventPrinter(output)] : [printer]
        if let part = plan.part, format == .human, !quiet { output.write("\(part.text)\n") }
        let report = try Pipeline.session(for: plan, options).run(output)
        if printsData { output.write(JSONWriter(layout: .pretty).string(report.outputs) + "\n", as: .json) }
        if format != .ndjson { printer.finish(report.result, folder: report.folder) }
        let runs = [ReportedRun(report.result, in: report.folder)]
        try reports?.write(for: runs, output)
        try report.throwStatus()
        try reports?.checkCoverage(of: runs, output)
    }
}
