import Synchronization
package import WaybillDiagnostics
package import WaybillExecution
import WaybillFormats
package import WaybillJSON
import WaybillManifest
import WaybillMock
package import WaybillPlan
package import WaybillResults
import WaybillRuntime
import WaybillTransport

/// One run of a plan: creates the folder, the mock server if there is one, the transfer engine and the executor, and
/// writes the results.
package struct RunSession: Sendable {
    /// The plan to run.
    package let plan: Plan
    /// How to run it.
    package let options: RunOptions
    /// Steers the run while it is running.
    package var control: RunControl { options.control }
    private let memory = RunMemory()

    /// The results of a run.
    package struct Report: Sendable {
        /// The summary.
        package var result: RunResult
        /// The response times from which those of the summary were computed.
        package var responseTimes: ResponseTimeCounter
        /// The outputs by graph.
        package var outputs: JSON
        /// The folder of the results; empty if they were not written.
        package var folder: String
    }

    /// Runs the plan and writes the results. Nothing is sent before the results folder was created.
    package func run() async throws(RunError) -> Report {
        let resumption = try resumption()
        for step in options.pausedSteps { try plan.check(step: step) }
        let secrets = try await secretValues()
        let redactor = Redactor()
        let id = options.resumed?.record.id ?? RunID()
        let files = try files(of: id)
        try await checkLogins(secrets)
        // No other run can use the states until this one has finished.
        let state = try RunError.mapping(to: .unusableState) { try RunState(of: plan, options) }
        let folder = try await makeFolder(id, secrets)
        folder?.protect(files.protectedPaths)
        let examples = options.usesMock ? MockRoutes(ofRun: plan.requests) : nil
        let (transport, engine, mock) = try await makeTransport(examples)
        let trace = TraceContext(of: id, variables: options.variables)
        let exporter = options.startTraceExport?(trace, id, plan, options, redactor)
        let events = EventStream(
            journal: folder?.journal,
            observers: options.observers + (exporter.map { [$0] } ?? []),
            after: options.resumed?.record.lastNumber ?? 0,
            reportedElements: options.reportsElements ? .all : exporter == nil ? .none : .traced,
            reportsFirstElements: options.reportsFirstElements || options.keepsBodies,
            reportsBodies: options.reportsBodies || options.keepsBodies,
            now: { [time = options.time] in time ?? .now() }
        )
        let (cachingTransport, warnings) = cached(transport, redactor: redactor, events: events)
        var executor = Executor(
            plan: plan,
            transport: transport,
            secrets: secrets,
            redactor: redactor,
            events: events
        )
        executor.transport = cachingTransport
        executor.folder = folder
        executor.proxies = ProxyVariables(options.variables)
        executor.control = options.control
        executor.clock = options.clock
        executor.memory = memory
        executor.earlierRun = options.resumed?.record
        executor.resumption = resumption
        executor.repeatsUnsure = options.repeatsUnsure
        executor.audience = options.isEmbedded ? .program : .commandLine
        executor.isMocked = options.usesMock
        executor.mockExamples = examples?.numbers ?? [:]
        executor.keepsBodies = options.keepsBodies
        executor.updatesSnapshots = options.updatesSnapshots
        executor.state = state?.states ?? GraphStates(plan.states())
        executor.trace = trace
        let storesCookies = plan.requests.contains { if case .jar = $0.settings.cookies?.value { true } else { false } }
        executor.setUpWarnings = warnings + connectionWarnings + (storesCookies ? cookiesLostBefore : [])
        // Jars with files are written before the results, so that they are not lost if those cannot be written.
        if storesCookies { executor.endTransport = { [self] in await close(engine, mock) } }
        let outcome = await executor.run(id: id)
        // The transport is closed and the trace exported while the results are written.
        var failures = storesCookies ? engine?.cookieJarFailures ?? [] : []
        async let laterFailures = storesCookies ? [] : close(engine, mock)
        async let exported: Void = finish(exporter)
        let report: Report
        do throws(RunError) {
            report = try await write(outcome, state, to: folder)
        } catch {
            if failures.isEmpty { throw error }
            throw RunError(.unwritableResults, redactor.redact(([error.message] + failures).joined(separator: "; ")))
        }
        failures += await laterFailures
        await exported
        guard failures.isEmpty else {
            throw RunError(.unwritableResults, redactor.redact(failures.joined(separator: "; ")))
        }
        return report
    }

    /// Decides what a resumed run sends again. If that includes something that must not be sent again, throws before
    /// anything is sent.
    private func resumption() throws(RunError) -> ResumeDecision {
        guard let record = options.resumed?.record else { return ResumeDecision() }
        let decision = ResumeDecision(plan, record.steps, repeatsUnsure: options.repeatsUnsure)
        guard decision.diagnostics.isEmpty else {
            throw RunError(
                .unsafeRepetition,
                "cannot resume the run without sending requests again",
                decision.diagnostics
            )
        }
        return decision
    }

    /// Warnings that the process that ran before could not store cookies. The steps that passed do not set them again.
    private var cookiesLostBefore: [String] {
        guard let folder = options.resumed?.folder, let events = try? JournalEvents(folder: folder) else { return [] }
        var lost: [String] = []
        while let event = try? events.next() {
            switch event.kind {
            case .runStarted: lost = []
            case .warning(let message, nil) where message.string.hasPrefix(Executor.lostCookies):
                lost.append("before the run was resumed: \(message.string)")
            default: break
            }
        }
        return lost
    }

    /// Returns the files that the run reads and writes. Throws if one cannot be written, or would replace another.
    private func files(of id: RunID) throws(RunError) -> RunFileList {
        let earlier = options.resumed?.record.state.file
        if isInMemory, plan.writesFiles || options.updatesSnapshots {
            throw RunError(.missingFolder, "the run writes files, but it has no folder for its results")
        }
        let folder = options.resumed?.folder ?? options.outputFolder ?? "\(RunFolders.usual)/\(id)"
        var files = RunFileList(
            of: plan,
            in: isInMemory ? nil : folder,
            stateFile: StateLocation.file(
                of: plan,
                options.stateFile ?? earlier,
                hasUsualFile: !options.usesMock && !options.isEmbedded
            ),
            updatesSnapshots: options.updatesSnapshots
        )
        if let path = options.traceFile { files.write(path, as: .trace) }
        guard files.errors.isEmpty else {
            throw RunError(.fileConflict, "the run cannot write its files", files.errors)
        }
        return files
    }

    /// Whether nothing is written, except files with given paths.
    private var isInMemory: Bool { options.isEmbedded && options.outputFolder == nil && options.resumed == nil }

    private func makeFolder(_ id: RunID, _ secrets: [String: String]) async throws(RunError) -> RunFolder? {
        if isInMemory { return nil }
        if options.outputFolder?.utf8.contains(0) ?? false {
            throw RunError(.unwritableResults, "the path of the results contains a NUL character")
        }
        let destination =
            options.outputFolder.map { RunFolder.Destination.at($0, replacesRun: options.replacesRun) }
            ?? .new(under: RunFolders.usual)
        let folder = try RunError.mapping(to: .unwritableResults) {
            if let (record, path) = options.resumed {
                try RunFolder.reopen(path, after: record, in: options.suiteFolder)
            } else {
                try RunFolder.create(destination, for: id, in: options.suiteFolder)
            }
        }
        if let earlier = folder.replacedUnfinishedRun { options.warn(unfinishedRun(earlier, in: folder.path)) }
        do throws(ResultsError) {
            try await folder.keep { [plan, texts = options.keptFiles] in
                RunSources(of: plan, keeping: texts, except: secrets.values)
            }
        } catch {
            throw RunError(.unwritableResults, error.description)
        }
        return folder
    }

    private func unfinishedRun(_ id: RunID, in folder: String) -> Diagnostic {
        Diagnostic(
            "unfinished-run",
            "replacing the results of run \(id) in '\(folder)', which had not finished",
            severity: .warning,
            at: nil,
            help: [
                "'waybill resume \(PrintableText.shellWord(folder))' would have continued it. Use a different --out to keep an earlier run."
            ]
        )
    }

    private func makeTransport(_ examples: MockRoutes?) async throws(RunError) -> (
        any Transport & NetworkProbe, CurlTransport?, MockServer?
    ) {
        if let transport = options.transport, !options.usesMock { return (transport, nil, nil) }
        let engine = try RunError.mapping(to: .transport) {
            try CurlTransport(
                maximumConnections: max(256, plan.concurrency),
                raisesFileLimit: !options.isEmbedded,
                // The mock server opens as many files.
                shares: options.runsAtOnce * (options.usesMock ? 2 : 1),
                memory: memory
            )
        }
        guard let examples else { return (engine, engine, nil) }
        let server = MockServer(routes: examples.routes)
        do {
            return (MockedTransport(engine, port: try server.start()), engine, server)
        } catch {
            await engine.shutDown()
            throw RunError(.transport, "could not start the mock server: \(error)")
        }
    }

    private var connectionWarnings: [String] {
        guard !options.usesMock, options.transport == nil, !CurlTransport.sharesPriorKnowledgeConnections,
            plan.requests.contains(where: { $0.settings.http?.value == .http2PriorKnowledge })
        else { return [] }
        return ["requests with 'http: 2-prior-knowledge' do not share connections: that needs libcurl 8 or later"]
    }

    /// Adds the caches that the plan's requests may use to the transport, and returns the warnings for the start of the
    /// run. The responses of the mock server and of a given transport are not cached: others would receive them later.
    private func cached(
        _ transport: any Transport,
        redactor: Redactor,
        events: EventStream
    ) -> (transport: any Transport, warnings: [String]) {
        let requests = plan.requests.filter { $0.settings.cacheMode.map { $0.value != .noStore } ?? false }
        guard !options.usesMock, options.transport == nil, !requests.isEmpty else { return (transport, []) }
        var warnings: [String] = []
        let userFolder = CacheStore.userFolder(environment: options.variables)
        if userFolder == nil, requests.contains(where: { $0.settings.cacheFolder == nil }) {
            warnings.append("the cache is disabled: neither XDG_CACHE_HOME nor HOME is the path of a folder")
        }
        let stores: CacheStores
        do {
            stores = try CacheStores(userFolder: userFolder)
        } catch {
            return (transport, warnings + ["the cache is disabled: could not start a thread: \(error)"])
        }
        for settings in requests.map(\.settings) {
            let folder = settings.cacheFolder.map { NamedFile(path: $0.value, kind: .cache).location }
            stores.store(in: folder, maximumBytes: settings.cacheSize?.value)
        }
        // Each warning is given once.
        let failed = Mutex<Set<String>>([])
        let caching = CachingTransport(
            transport,
            stores: stores,
            containsSecret: redactor.mayFindSecret,
            memory: memory,
            onFailure: { failure in
                guard failed.withLock({ $0.insert(failure.folder).inserted }) else { return }
                let message = "could not write to the cache in '\(failure.folder)': \(failure.message)"
                events.emit(.warning(redactor.text(message), at: nil))
            },
            onObstacle: { obstacle in
                guard failed.withLock({ $0.insert(obstacle.rawValue).inserted }) else { return }
                events.emit(.warning(redactor.text(obstacle.rawValue), at: nil))
            }
        )
        return (caching, warnings)
    }

    /// Returns why cookie jars could not be written, one message for each.
    private func close(_ engine: CurlTransport?, _ mock: MockServer?) async -> [String] {
        await engine?.shutDown()
        await mock?.stop()
        return engine?.cookieJarFailures ?? []
    }

    /// Sends what is left of the trace, and warns if spans were lost.
    private func finish(_ exporter: (any TraceObserver)?) async {
        if let warning = await exporter?.finish() { options.warn(warning) }
    }

    private func write(
        _ outcome: Executor.Outcome,
        _ state: RunState?,
        to folder: RunFolder?
    ) async throws(RunError) -> Report {
        let result = outcome.result
        let next = state?.storage(after: result.id, at: result.finishedAt, outcome.state, warn: options.warn)
        do throws(ResultsError) {
            if let folder {
                try await folder.finish(result, outputs: outcome.outputs, state: next)
            } else if let (file, content) = next {
                try file.store(content)
            }
        } catch {
            throw RunError(.unwritableResults, error.description)
        }
        let outputs = JSONObject(outcome.outputs.map { ($0.graph, $0.values.value) })
        return Report(
            result: outcome.result,
            responseTimes: outcome.responseTimes,
            outputs: .object(outputs),
            folder: folder?.path ?? ""
        )
    }

    func secretValues() async throws(RunError) -> [String: String] {
        var found: [String: String] = [:]
        if let findSecret = options.findSecret, !options.sendsNothing {
            for secret in plan.secrets { found[secret.name] = try await value(of: secret.name, findSecret, found) }
        }
        let (values, errors) = Self.secrets(of: plan, found: found, in: options.variables)
        if options.sendsNothing { return values }
        guard errors.isEmpty else { throw RunError(.missingSecret, "secrets are missing", errors) }
        guard plan.secrets.contains(where: { values[$0.name] == nil }) else { return values }
        let reading = Task { [plan, options] in
            await SecretReader.values(
                of: plan,
                known: values,
                variables: options.variables,
                isMocked: options.usesMock
            )
        }
        options.control.whenStopped { reading.cancel() }
        let (all, failures) = await withTaskCancellationHandler {
            await reading.value
        } onCancel: {
            reading.cancel()
        }
        if reading.isCancelled {
            throw RunError(.stopped, "the run was stopped before the values of its secrets were known")
        }
        guard failures.isEmpty else { throw RunError(.secretSource, "secrets are missing", failures) }
        return all
    }

    /// Asks the source for a secret. Stopping the run ends the wait, even if the source then continues.
    private func value(
        of secret: String,
        _ find: @escaping @Sendable (String) async throws -> String?,
        _ found: [String: String]
    ) async throws(RunError) -> String? {
        let result = Awaited<Result<String?, any Error>?>()
        options.control.whenStopped { result.set(nil) }
        let asking = Task {
            do {
                result.set(.success(try await find(secret)))
            } catch {
                result.set(.failure(error))
            }
        }
        defer { asking.cancel() }
        switch await result.value(onCancel: { result.set(nil) }) {
        case .success(let value): return value
        case .failure(let error):
            let redactor = Redactor()
            let variables = plan.secrets.compactMap { $0.source.variable.flatMap { options.variables[$0] } }
            for known in found.values + variables { redactor.register(known) }
            let reason = redactor.redact("\(error)")
            throw RunError(.secretSource, "could not get the value of the secret '\(secret)': \(reason)")
        case nil: throw RunError(.stopped, "the run was stopped before the values of its secrets were known")
        }
    }

    /// Returns the values of a plan's secrets, and the errors for those that are missing or too long. Secrets with another
    /// source than an environment variable have a value only if it was found.
    ///
    /// - Parameters:
    ///   - found: Values by the names of the secrets.
    ///   - variables: Environment variables, for the other secrets.
    package static func secrets(
        of plan: Plan,
        found: [String: String] = [:],
        in variables: [String: String]
    ) -> (values: [String: String], errors: [Diagnostic]) {
        var values: [String: String] = [:]
        var missing: [Diagnostic] = []
        var long: [Diagnostic] = []
        for secret in plan.secrets {
            let value = found[secret.name] ?? secret.source.variable.flatMap { variables[$0] }
            if let value, !value.isEmpty {
                values[secret.name] = value
                guard value.utf8.count > Redactor.longestSecret else { continue }
                long.append(
                    Diagnostic(
                        "long-secret",
                        "secret '\(secret.name)' is too long: it has \(value.utf8.count) bytes, the maximum is \(Redactor.longestSecret)",
                        at: secret.source.span
                    )
                )
            } else if found[secret.name] != nil || secret.source.variable != nil {
                let source = found[secret.name] == nil ? secret.source.words : "that of its source"
                let variable = secret.source.variable ?? secret.name
                missing.append(
                    Diagnostic(
                        "missing-secret",
                        "secret '\(secret.name)' has no value: \(source) is " + (value == nil ? "not set" : "empty"),
                        at: secret.source.span,
                        help: ["Set it for this run: \(variable)=… waybill run …, or in a file with --env-file."],
                        programHelp: ["Return it from 'secrets' in the options of the run, or set the variable."]
                    )
                )
            }
        }
        for secret in plan.declaredSecrets where values[secret.name] == nil {
            guard let value = secret.source.variable.flatMap({ variables[$0] }),
                value.utf8.count <= Redactor.longestSecret
            else { continue }
            if !value.isEmpty { values[secret.name] = value }
        }
        return (values, missing.isEmpty ? long : missing)
    }
}
