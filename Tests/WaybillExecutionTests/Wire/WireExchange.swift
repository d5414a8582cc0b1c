import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillPlatform
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// The request that a manifest with one step sends to a server on this machine, and the result of the response.
struct WireExchange {
    /// The requests that the server received.
    let received: [ReceivedRequest]
    /// The outcome of the run.
    let outcome: Executor.Outcome
    /// The messages of all warnings.
    let warnings: [String]

    /// The failure of the step.
    var failure: Failure? { outcome.result.steps.first?.failure }
    /// The data of the step.
    var data: JSON? { outcome.outputs.first?.values.value["data"] }

    /// Runs a step, a flow mapping, of a manifest whose only service is the server.
    ///
    /// - Parameters:
    ///   - top: Further top-level lines of the manifest.
    ///   - service: Further settings of the service: lines without indentation.
    ///   - files: Files next to the manifest, by name.
    ///   - links: Symbolic links next to the manifest: names and targets.
    ///   - allowsOutside: Whether files may be outside the manifest's folder.
    ///   - beforeRun: Changes the manifest's folder after the plan was made.
    static func run(
        _ step: String,
        top: String = "",
        service: String = "",
        files: [String: [UInt8]] = [:],
        links: [String: String] = [:],
        allowsOutside: Bool = false,
        beforeRun: (TemporaryFolder) throws -> Void = { _ in },
        answer: ServerResponse = ServerResponse(status: 200, headers: [("Content-Type", "application/json")])
    ) async throws -> WireExchange {
        let server = try LoopbackServer { _ in answer }
        defer { server.stop() }
        let folder = TemporaryFolder()
        for (name, content) in files { folder.write(content, to: name) }
        for (name, target) in links { try #require(symlink(target, "\(folder.path)/\(name)") == 0) }
        let manifest = """
            waybill: 1
            services:
              s:
                baseURL: \(server.url(""))
            \(service.split(separator: "\n").map { "    \($0)\n" }.joined())
            \(top)
            graphs:
              main:
                chain:
                  - \(step)
                outputs: {data: steps.a.data}

            """
        let loaded = ManifestLoader().load(folder.write(manifest, to: "manifest.yaml"))
        try #require(!loaded.diagnostics.hasErrors, "\(HumanRenderer().render(loaded.diagnostics))")
        let checked = PlanBuilder.check(try #require(loaded.manifest), allowsOutside: allowsOutside)
        try #require(!checked.diagnostics.hasErrors, "\(HumanRenderer().render(checked.diagnostics))")
        let (planned, details) = PlanBuilder.plan(checked, options: PlanOptions())
        let plan = try #require(planned, "\(HumanRenderer().render(details))")
        try beforeRun(folder)
        let transport = try CurlTransport()
        let listener = EventListener()
        let executor = Executor(
            plan: plan,
            transport: transport,
            secrets: [:],
            redactor: Redactor(),
            events: EventStream(journal: nil, observers: [listener])
        )
        let outcome = await executor.run(id: RunID())
        await transport.shutDown()
        let warnings = listener.all.compactMap { event -> String? in
            if case .warning(let message, _) = event.kind { message.string } else { nil }
        }
        return WireExchange(received: server.requests, outcome: outcome, warnings: warnings)
    }

    /// The lines of the only request's header, joined by `|`, without those that every request has, except the fields
    /// in `kept`. The server's port is `PORT`, a boundary `BOUNDARY`.
    func head(keeping kept: [String] = []) throws -> String {
        let request = try #require(received.first, "\(failure?.message.string ?? "nothing was sent")")
        #expect(received.count == 1)
        let usual = ["host", "accept", "accept-encoding", "user-agent"].filter { !kept.contains($0) }
        let lines = request.head.split(separator: "\r\n").filter { line in
            !usual.contains { line.lowercased().hasPrefix("\($0):") }
        }
        var head = lines.joined(separator: "|")
        if let boundary = boundary { head.replace(boundary, with: "BOUNDARY") }
        if let port = request.values(named: "Host").first?.split(separator: ":").last, Int(port) != nil {
            head.replace(port, with: "PORT")
        }
        return head
    }

    /// The only request's body as a string. Its boundary is `BOUNDARY`; bytes that are not UTF-8 become U+FFFD.
    func body() throws -> String {
        let request = try #require(received.first, "\(failure?.message.string ?? "nothing was sent")")
        let text = String(decoding: request.body, as: UTF8.self)
        return boundary.map { text.replacing($0, with: "BOUNDARY") } ?? text
    }

    private var boundary: String? {
        received.first?.values(named: "Content-Type").first?.split(separator: "boundary=").dropFirst().first
            .map(String.init)
    }
}
