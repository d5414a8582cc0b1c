import WaybillDiagnostics
import WaybillExecution
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

extension RunSession {
    /// Starts the exporter of the run's trace; `nil` unless the environment variables ask for one. A trace that the
    /// program that started the run does not record is not exported either.
    func makeExporter(of context: TraceContext, _ id: RunID) -> TraceExporter? {
        guard options.exportsTraces else { return nil }
        let reading = TraceSettings.read(from: options.variables)
        for warning in reading.warnings { options.warn(warning) }
        guard let settings = reading.settings, context.isSampled else { return nil }
        do {
            return TraceExporter(
                of: context,
                resource: resource(of: id, settings),
                to: try destination(settings),
                timeout: settings.timeout
            )
        } catch {
            options.warn(Diagnostic.traces("no traces are exported: \(error)"))
            return nil
        }
    }

    /// The attributes of the resource: those of the settings, and those of the run that have other names, because
    /// a name must be unique.
    private func resource(of id: RunID, _ settings: TraceSettings) -> [SpanAttribute] {
        var resource = settings.resource
        func add(_ key: String, _ value: String?) {
            guard let value, !resource.contains(where: { $0.key == key }) else { return }
            resource.append(SpanAttribute(key, .string(value)))
        }
        add("service.version", WaybillVersion.current)
        add("waybill.run.id", id.description)
        add("waybill.manifest", plan.manifest)
        add("waybill.environment", plan.environment)
        return resource
    }

    private func destination(_ settings: TraceSettings) throws -> any TraceDestination {
        switch settings.destination {
        case .file(let path): try TraceFile(path)
        case .collector(let url):
            // With connections of its own, which the limits of the run do not concern.
            TraceCollector(at: url, settings, through: try CurlTransport(configuration: .init(maximumConnections: 1)))
        }
    }

    /// Sends what is left of the trace, and warns if spans were lost.
    func finish(_ exporter: TraceExporter?) async {
        if let warning = await exporter?.finish() { options.warn(warning) }
    }
}
