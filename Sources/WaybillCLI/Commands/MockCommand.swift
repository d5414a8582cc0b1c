import ArgumentParser
import WaybillDiagnostics
import WaybillMock
import WaybillPipeline
import WaybillPlan

/// `waybill mock`
struct MockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock",
        abstract: "Serves the endpoints of a manifest on this machine, with their 'mock' examples."
    )

    @OptionGroup var options: ManifestOptions

    @OptionGroup var inputs: InputOptions

    @Option(help: "The port on 127.0.0.1; 0 selects a free one.")
    var port = 0

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        if !(0...65535).contains(port) { throw ValidationError("--port takes a number from 0 to 65535.") }
    }

    func run() throws {
        let output = Output(noColour: noColor)
        let (planOptions, diagnostics) = try inputs.planOptions(output)
        let stage = try options.checkedManifest(.all).checkingInputs(planOptions)
            // Nothing is sent to the service, and the clients decide what they call.
            .without("unused-definition", "missing-credentials")
        output.report(diagnostics + stage.diagnostics)
        guard let checked = stage.value else { throw ExitStatus.invalid }

        let examples = Pipeline.mockRoutes(of: checked)
        let routes = examples.routes
        let log = LineQueue(output)
        let server = MockServer(routes: routes) { request in
            log.add(PrintableText.oneLine("\(request.method) \(request.target) \(request.status)"))
        }
        let bound: Int
        do {
            bound = try server.start(port: port)
        } catch {
            output.report([Diagnostic("mock-error", "could not start the server: \(error)", at: nil)])
            throw ExitStatus.notRun
        }
        for name in examples.ambiguous {
            output.write(
                "the examples of several requests answer \(PrintableText.oneLine(name)) one after another; the last one repeats\n"
            )
        }
        let count = routes.count == 1 ? "1 route" : "\(routes.count) routes"
        output.write("serving \(count) on http://127.0.0.1:\(bound); press Ctrl-C to stop\n")

        let (stops, continuation) = AsyncStream.makeStream(of: Void.self)
        Signals.onStop { continuation.finish() }
        waiting {
            for await _ in stops {}
            await server.stop()
        }
        log.finish()
        if let signal = Signals.received { throw ExitCode(128 + signal) }
    }
}
