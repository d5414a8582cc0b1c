import Synchronization
import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// One attempt of a request: the innermost layer.
struct AttemptLayer: Layer {
    func execute(_ request: RequestStep, in context: StepContext) async -> AttemptOutcome {
        await Attempt(request, in: context).run()
    }
}

/// An attempt of a request: evaluates and sends the request, and evaluates its response.
struct Attempt: Sendable {
    let sender: RequestSender
    private var request: RequestStep { sender.request }
    var context: StepContext { _read { yield sender.context } }
    var plan: RequestPlan { request.plan }
    var run: RunContext { sender.run }

    init(_ request: RequestStep, in context: StepContext) {
        sender = RequestSender(request, in: context)
    }

    /// Sends the request as soon as it may be sent. If the server refuses the session or token, it is renewed, once for
    /// all requests that share it, and the request is repeated once.
    func run() async -> AttemptOutcome {
        var progress = context.progress
        var outcome = await once(&progress)
        do throws(EvaluationFailure) {
            if try await renewed(after: outcome) {
                await discardDownload(&outcome)
                var repeated = await once(&progress)
                repeated.add(earlier: outcome)
                outcome = repeated
            }
        } catch {
            outcome.failure = run.failure(error)
        }
        // Evaluating the response may have taken longer than the step has.
        let isOfEvaluation = [.input, .decode, .filter, .output, .expect].contains(outcome.failure?.kind)
        if outcome.scope.environment.hasStopped || isOfEvaluation && WorkLimit.isReached {
            outcome.failure = .stopped(at: request.step.span)
        }
        if outcome.failure == nil, let passed = context.deadline?.passed { outcome.failure = passed }
        // The next attempt may write to the same file.
        if outcome.failure != nil { await concludeDownload(&outcome) }
        progress.add(outcome)
        outcome.progress = progress
        return outcome
    }

    /// Renews the session or token that the server refused; returns whether there was one.
    private func renewed(after outcome: AttemptOutcome) async throws(EvaluationFailure) -> Bool {
        guard outcome.mayRenew, let status = outcome.response?.status else { return false }
        var isRenewed = false
        if let token = outcome.token, status == 401 {
            try await run.tokens.renew(token, of: plan.service, in: run)
            isRenewed = true
        }
        if let session = outcome.scope.session, run.sessions.mustRenew(session, on: status) {
            try await run.sessions.renew(session, for: context)
            isRenewed = true
        }
        return isRenewed
    }

    private func once(_ progress: inout RequestProgress) async -> AttemptOutcome {
        // Output that nobody reads must not prevent the steps of 'finally'.
        if !context.isFinal { await run.events.waitForRoom { [context] in context.mayStart } }
        var permit: Permit?
        defer { if let permit { run.limiter.release(permit) } }
        if sender.hasGates {
            await run.control.waitUntilUnpaused(context.path)
            guard context.mayStart else { return stopped }
        } else {
            // A request is built only when it has its permit: while it waits, it has no body in memory, and `now()` is
            // the time of sending.
            permit = await sender.permit()
            guard permit != nil else { return stopped }
        }
        if progress.startedAt == nil {
            progress.startedAt = .now()
            if !context.isElement(request.step) { run.events.emit(.stepStarted, step: context.path) }
        }
        var outcome = AttemptOutcome(in: context)
        defer { outcome.scope.request?.memory?.stopGrowing() }
        let (sending, transport): (HTTPRequest, any Transport)
        do throws(EvaluationFailure) {
            (sending, transport) = try await build(&outcome)
        } catch {
            outcome.failure = run.failure(error)
            if error.kind == .duplicate { outcome.duplicate = .skipped }
            return outcome
        }
        // The body may be incomplete.
        if WorkLimit.isReached { return stopped }
        var sender = sender
        if let download = plan.download {
            do throws(EvaluationFailure) {
                sender.download = try AttemptDownload(
                    download,
                    of: plan,
                    in: outcome.scope,
                    expectedStatus: outcome.expectedStatus,
                    isUsed: request.step.keeps.contains(.downloaded)
                )
            } catch {
                outcome.failure = run.failure(error)
                return outcome
            }
        }
        sender.stream = context.stream
        let sent = await sender.send(sending, through: transport, hasPermit: permit != nil, scope: outcome.scope)
        progress.cookieDomains.formUnion(sent.cookieDomains)
        outcome.responseURL = sent.lastURL
        if let last = sent.redirects.last {
            // Another origin did not receive the credentials. A POST that was redirected to a GET was accepted.
            outcome.mayRenew =
                outcome.mayRenew && (last.method == sending.method || sending.isIdempotent)
                && (try? Origin(ofURL: last.to)) == (try? Origin(ofURL: sending.url))
        }
        switch sent.end {
        case .stopped: return stopped
        case .refusal(let failure):
            outcome.failure = failure
            if failure.kind == .duplicate { outcome.duplicate = .skipped }
            // A refused request does not count as an attempt.
            outcome.method = nil
        case .failure(let failure):
            // The first request was, if one of its redirects was followed.
            outcome.wasSent = failure.wasSent || !sent.redirects.isEmpty
            outcome.repetitions = failure.repetitions
            outcome.failure = Failure(
                FailureKind(failure),
                run.redactor.text(failure.message),
                at: request.step.span
            )
            if let events = context.stream?.received { (outcome.body, outcome.scope.data) = (events, events) }
            sender.reportPostponed(sent.redirects, areSecretsKnown: false)
        case .fileFailure(let failure, let response, let status):
            outcome.failure = failure
            // A poll that is not the last one may have no file, or one with another checksum.
            outcome.isPending = part == .poll && plan.download != nil && failure.kind != .cancelled
            outcome.wasSent = true
            outcome.scope.response = response
            // Only for the secrets that the outputs find in its fields, and for the events so far.
            let evaluation = evaluator(of: response, outcome).evaluate()
            if context.stream != nil { (outcome.body, outcome.scope.data) = (evaluation.body, evaluation.data) }
            outcome.hide(evaluation.hidden)
            let hidesFields = evaluation.hidden.contains(.fields)
            sender.reportPostponed(sent.redirects, areSecretsKnown: !hidesFields)
            if sender.reportsExchange { emitHead(of: response, status: status, hidesFields: hidesFields) }
        case .fileExists:
            let response = HTTPResponse(status: 200, url: sending.url)
            outcome.scope.response = response
            outcome.method = nil
            await evaluate(response, status: nil, &outcome)
        case .response(var response):
            if sent.file != nil { response.redirects = sent.redirects }
            run.count(response, at: context.path)
            outcome.wasSent = true
            outcome.repetitions = response.repetitions
            outcome.scope.response = response
            let cookies = response.headers.values(named: "Set-Cookie")
            progress.cookieDomains.formUnion(sender.cookieDomains(of: cookies, from: sent.lastURL))
            let status = sent.file?.content?.status ?? response.status
            warnOfMissingFields(sending, in: sent)
            warnOfMissingCredentials(status, sending, outcome, in: sent)
            await evaluate(response, to: sending, status: status, after: sent.redirects, &outcome)
            if outcome.failure?.kind == .decode, response.cacheUse != nil, !WorkLimit.isReached {
                var last = sending
                last.url = sent.lastURL
                await transport.forgetResponse(to: last)
            }
        }
        if let download = sender.download, let file = sent.file { outcome.file = (download, file) }
        // Now its secrets are known, as far as they can be.
        let areUnknown =
            !outcome.hidden.isEmpty || mayHideOutputs
            || plan.hasSecretOutputs && outcome.response == nil
        if keepsBodies, !areUnknown {
            await keepBody(of: sending, page: outcome.failure == nil ? context.pageNumber : nil)
        }
        if let record = sent.record {
            let json = record.json(redactor: run.redactor, hidesUnknownSecrets: areUnknown)
            emit(.requestDebug(attempt: sender.attempt, json))
        }
        return outcome
    }

    /// Warns if a server that refused the request did not receive its credentials.
    private func warnOfMissingCredentials(
        _ status: Int,
        _ sending: HTTPRequest,
        _ outcome: AttemptOutcome,
        in sent: RequestSender.Outcome
    ) {
        guard [401, 403].contains(status) else { return }
        if let warning = outcome.refusalWarning { warn(warning) }
        guard plan.originLimits.hasCredentials, sent.redirects.contains(where: \.leavesOrigin),
            let last = try? Origin(ofURL: sent.lastURL), last != (try? Origin(ofURL: sending.url))
        else { return }
        warn(RequestBuilder.missing(at: last, "the server redirected the request to another origin"))
    }

    /// Warns if a redirect took the body to another origin without header fields that may change its meaning.
    private func warnOfMissingFields(_ sending: HTTPRequest, in sent: RequestSender.Outcome) {
        guard sending.body != .none, let last = sent.redirects.last, last.method == sending.method,
            sent.redirects.contains(where: \.leavesOrigin)
        else { return }
        let missing = sending.headers.filter { field in
            !field.isSensitive && !last.nextHeaders.contains { $0.isNamed(field.name) }
        }
        guard !missing.isEmpty, let origin = try? Origin(ofURL: last.to) else { return }
        let names = missing.map(\.name).joined(separator: ", ")
        warn("the server redirected the request to \(origin), which received its body without the fields \(names)")
    }

    private var stopped: AttemptOutcome { AttemptOutcome(in: context, failure: .stopped(at: request.step.span)) }

    /// The request, and the transport that signs and sends it.
    private func build(
        _ outcome: inout AttemptOutcome
    ) async throws(EvaluationFailure) -> (request: HTTPRequest, transport: any Transport) {
        let service = plan.service ?? run.sessions.onlyService
        try await outcome.scope.evaluate(plan.arguments, at: .graph(plan.graph), page: context.page, service: service)
        try await sender.enterEarly(in: outcome.scope)
        if plan.usesSession { try await outcome.scope.provideSession(of: service) }
        if !context.isForSession {
            // The run's jar no longer has their cookies.
            for service in run.executor.resumption.servicesWithCookies(for: plan) {
                _ = try await run.sessions.session(of: service, for: context)
            }
        }
        if let endpoint = plan.endpoint { try plan.checks.require(in: outcome.scope.scope(.endpoint(endpoint))) }
        for variable in plan.vars {
            let value = try variable.value.checkedValue(in: outcome.scope.scope(variable.level))
            outcome.scope.vars[variable.name.value] = value
        }
        if let status = plan.settings.expectedStatus {
            outcome.expectedStatus = try status.value.patterns(in: outcome.scope.scope(status.level))
        }
        var addressed = RequestBuilder(plan, in: outcome.scope)
        if plan.usesSessionAtServiceOrigin, try !addressed.isForeign() {
            try await outcome.scope.provideSession(of: service)
        }
        var builder = RequestBuilder(plan, in: outcome.scope)
        var sending = try builder.build()
        let memory = try bodyMemory(of: sending)
        if let memory, case let size = sending.body.bytesInMemory, !memory.grow(to: size, wake: {}) {
            // The body is built again when there is room for it, so that it takes none while it waits.
            builder = RequestBuilder(plan, in: outcome.scope)
            sending.body = .none
            await memory.grow(to: size)
            sending = try builder.build()
        }
        outcome.scope = builder.scope
        outcome.scope.request?.memory = memory
        if let example = run.executor.mockExamples[ObjectIdentifier(plan)] { sending.options.mockExample = example }
        if context.isRepetition { sending.options.cache = sending.options.cache.ofRepetition }
        // The values of a session are credentials, even if they are not marked as secrets.
        if context.isForSession { sending.options.isResponseSecret = true }
        if let grant = builder.grant {
            let token = try await run.tokens.token(of: grant, in: run)
            outcome.token = token
            sending.headers.append(token.field)
        }
        if let stream = context.stream {
            try stream.start(in: outcome.scope, expecting: outcome.expectedStatus)
            if let field = stream.field {
                sending.headers.removeAll { $0.isNamed(field.name) }
                sending.headers.append(field)
            }
        }
        outcome.method = sending.method
        outcome.mayRenew = builder.otherOrigin == nil
        // For a constant method, `validate` has reported it.
        if plan.constantMethod == nil, ["GET", "HEAD"].contains(sending.method), sending.body != .none {
            warn("a body has no meaning with \(sending.method) (RFC 9110, section 9.3)")
        }
        if let (path, host) = builder.missingCredentials, run.netrcFiles.isFirstToMiss(host, in: path) {
            warn("\(path) has no credentials for \(host), so requests to it are sent without any")
        }
        for warning in builder.warnings { warn(warning) }
        outcome.refusalWarning = builder.refusalWarning
        outcome.url = run.redactor.text(sending.url)
        return (sending, builder.sending(through: sender.transport))
    }

    /// An empty share of the run's memory for the body of a request, if it is large.
    private func bodyMemory(of sending: HTTPRequest) throws(EvaluationFailure) -> RunMemory.Share? {
        let (size, memory) = (sending.body.bytesInMemory, run.executor.memory)
        guard size > RunMemory.smallBody else { return nil }
        guard size <= memory.limit else {
            let message = "the body takes more than 1 GiB of memory; send it from a file"
            throw EvaluationFailure(message: message, span: plan.settings.body?.span ?? plan.address.text.span)
        }
        return RunMemory.Share(of: memory, for: sender.hasGates ? .queuedRequest : .request)
    }

    /// The minimum size in bytes of responses that are not evaluated on the transport's thread, because that takes too
    /// long.
    static let largeResponse = 64 * 1024

    private func evaluator(
        of response: HTTPResponse,
        as part: ResponseEvaluator.Part? = nil,
        _ outcome: AttemptOutcome
    ) -> ResponseEvaluator {
        ResponseEvaluator(
            plan: plan,
            response: response,
            part: part ?? self.part,
            keepsData: !request.step.keeps.isDisjoint(with: [.data, .itemData]),
            expectedStatus: outcome.expectedStatus,
            scope: outcome.scope,
            events: context.stream
        )
    }

    /// Whether a response may contain secret outputs that are not known yet: which part of a page is one may be known only
    /// after the last page.
    private var mayHideOutputs: Bool { part == .page && plan.hasSecretOutputs }

    /// Registers the secret outputs that the items of a page contain; returns whether all secret outputs are known.
    private func registerOutputs(ofPage outcome: AttemptOutcome) -> Bool {
        var scope = outcome.scope
        if let items = request.step.paginate?.items,
            let level = request.step.paginate?.level, let list = try? items.value(in: scope.scope(level))
        {
            scope.data = list
        }
        return run.redactor.register(secretOutputsOf: plan, in: scope)
    }

    /// Which part of the request's result each response is: the whole, a page, or a poll of `until`.
    private var part: ResponseEvaluator.Part {
        request.step.paginate != nil ? .page : request.step.flow?.until != nil ? .poll : .whole
    }

    /// Whether the body of each request and response is kept. Those of a session contain credentials, which may not be marked
    /// as secrets.
    private var keepsBodies: Bool { run.executor.keepsBodies && !context.isForSession }

    /// The evaluation of a response, when there is memory for the values that are decoded from it.
    private func evaluation(
        by evaluator: ResponseEvaluator,
        of response: HTTPResponse,
        _ outcome: inout AttemptOutcome
    ) async -> ResponseEvaluator.Evaluation {
        guard response.body.count >= Self.largeResponse || context.stream != nil else { return evaluator.evaluate() }
        let memory = response.memory ?? RunMemory.Share(of: run.executor.memory)
        outcome.scope.response?.memory = memory
        let decoder = ResponseDecoder(decoding: plan.settings.decoding?.value ?? .default)
        defer { memory.stopGrowing() }
        await memory.grow(to: response.body.count + decoder.decodedSize(of: response))
        if Task.isCancelled { return .init(failure: .stopped(at: request.step.span)) }
        return await withTaskExecutorPreference(globalConcurrentExecutor) { evaluator.evaluate() }
    }

    /// Evaluates the response, and registers its secrets before any of it is reported.
    ///
    /// - Parameters:
    ///   - sending: The request; `nil` if there is a file instead of a response.
    ///   - status: The status that the server sent; `nil` if nothing was sent.
    private func evaluate(
        _ response: HTTPResponse,
        to sending: HTTPRequest? = nil,
        status: Int?,
        after redirects: [Redirect] = [],
        _ outcome: inout AttemptOutcome
    ) async {
        // Polling does not start if the file was there before.
        let evaluator = evaluator(of: response, as: status == nil ? .whole : nil, outcome)
        let evaluation = await evaluation(by: evaluator, of: response, &outcome)
        outcome.scope.data = evaluation.data ?? (part == .poll ? nil : ScopeValue(.null))
        outcome.body = evaluation.body
        outcome.scope.body = evaluation.body
        outcome.outputs = evaluation.outputs
        outcome.failure = evaluation.failure
        outcome.hide(evaluation.hidden)
        outcome.isPending = part == .poll && !evaluation.isFinal
        outcome.snapshot = evaluation.snapshot
        let areOutputsKnown = !outcome.hidden.contains(.fields) && (!mayHideOutputs || registerOutputs(ofPage: outcome))
        sender.reportPostponed(redirects, areSecretsKnown: areOutputsKnown)
        // Without a status, the file of a download was there before.
        if status != nil {
            noteCoverage(of: evaluator, hidesFields: outcome.hidden.contains(.body) || !areOutputsKnown)
        }
        if sender.reportsExchange, let status {
            if let use = response.cacheUse {
                // Nothing has announced a request that was not sent.
                let request = use == .hit ? sending.map { sender.reported($0) } : nil
                emit(.cacheUsed(attempt: sender.attempt, WaybillResults.CacheUse(use), request: request))
            }
            let isHidden = outcome.hidden.contains(.body) || !areOutputsKnown || context.isForSession
            emitHead(
                of: response,
                status: status,
                hidesFields: !areOutputsKnown,
                body: run.events.reportsBodies ? await Self.excerpt(of: response.body, isHidden: isHidden, run) : nil
            )
            let times = PhaseTimes(response.timings)
            let bytes = ByteCounts(sent: response.bytesSent, received: response.bytesReceived)
            emit(.responseFinished(attempt: sender.attempt, status: status, times, bytes))
        }
        if let name = evaluation.duplicateName {
            warn("an object in the response has the name '\(name)' twice; the last value is used")
        }
        if let escapes = evaluation.loneSurrogates {
            let subject = escapes.count == 1 ? "an escape that is" : "\(escapes.count) escapes that are"
            warn(
                "the response has \(subject) half of a surrogate pair, which is not a character "
                    + "(\(escapes.count == 1 ? "" : "the first ")at byte \(escapes.firstOffset)); "
                    + "U+FFFD and the four digits were used instead"
            )
        }
        for warning in evaluation.contractWarnings { warn(warning.description) }
        if evaluation.failure != nil && !outcome.isPending || keepsBodies && !mayHideOutputs {
            outcome = await keepingBody(outcome)
        }
    }

    /// The outcome of the last attempt, with the evaluation that is skipped for the earlier pages and tries of `until`:
    /// outputs, expectations, the returned value.
    func concluded(_ outcome: AttemptOutcome) async -> AttemptOutcome {
        guard let response = outcome.response else { return outcome }
        var outcome = outcome
        // A status that was rejected is one of the expectations.
        let rejection = outcome.isPending && outcome.failure?.kind == .status ? outcome.failure : nil
        if outcome.failure == nil || rejection != nil {
            let evaluation = evaluator(of: response, outcome).conclude(with: outcome.data, after: rejection)
            outcome.outputs = evaluation.outputs
            outcome.failure = evaluation.failure
            outcome.snapshot = evaluation.snapshot
            outcome.hide(evaluation.hidden)
        }
        if outcome.failure == nil { return outcome }
        await concludeDownload(&outcome)
        return await keepingBody(outcome)
    }

    // MARK: Events

    func emit(_ kind: RunEvent.Kind) {
        run.events.emit(kind, step: context.path, endpoint: plan.endpoint)
    }

    /// Reports the head of a response whose secrets are registered.
    ///
    /// - Parameters:
    ///   - hidesFields: Whether the values of all fields are hidden.
    ///   - body: The body, if bodies are reported.
    private func emitHead(
        of response: HTTPResponse,
        status: Int,
        hidesFields: Bool = false,
        body: BodyExcerpt? = nil
    ) {
        let headers = response.headers.list.map {
            run.redactor.header($0.name, hidesFields ? Redactor.mask : $0.value)
        }
        let version = response.httpVersion
        var head = RunEvent.ResponseHead(
            attempt: sender.attempt,
            status: status,
            httpVersion: version,
            headers: headers
        )
        head.body = body
        emit(.responseHead(head))
    }

    func warn(_ message: String) {
        run.warn(message, at: plan.address.text.span, step: context.path, endpoint: plan.endpoint)
    }
}
