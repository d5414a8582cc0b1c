import WaybillPipeline
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTracing

extension RunOptions {
    /// Exports the trace of the run, if environment variables of OpenTelemetry in `variables` ask for it.
    mutating func exportTraces() {
        traceFile = TraceExporter.file(variables: variables)
        startTraceExport = { trace, id, plan, options, redactor in
            TraceExporter.start(
                for: trace,
                run: [
                    ("service.version", WaybillVersion.current),
                    ("waybill.run.id", id.description),
                    ("waybill.manifest", plan.manifest),
                    ("waybill.environment", plan.environment),
                ],
                variables: options.variables,
                redactor: redactor,
                warn: options.warn
            )
        }
    }
}
