import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// One attempt of a request: it is evaluated and sent, and its answer looked at.
struct Attempt: Sendable {
    private let request: RequestRun
    private let number: Int
    private let delivery: Delivery
    private let page: PageRequest
    private var plan: RequestPlan { request.plan }
    private var run: RunContext { request.run }

    init(_ request: RequestRun, number: Int, page: PageRequest) {
        self.request = request
        self.number = number
        self.page = page
        delivery = Delivery(request, attempt: number)
    }

    /// Tries, after waiting for its turn; a session or token that the server refuses is renewed, once for all who share it,
    /// and the request repeated once.
    ///
    /// - Parameter begin: Is called when the attempt begins.
    func run(begin: () -> Void) async -> Attempted {
        let attempted = await once(begin)
        do throws(EvaluationProblem) {
            guard try await renew(attempted) else { return attempted }
        } catch {
            attempted.failure = run.failure(error)
            return attempted
        }
        let repeated = await once(begin)
        repeated.add(earlier: attempted)
        return repeated
    }

    /// Renews what the server refused; whether there was anything.
    private func renew(_ attempted: Attempted) async throws(EvaluationProblem) -> Bool {
        guard let status = attempted.response?.status else { return false }
        var isRenewed = false
        if let token = attempted.token, status == 401 {
            try await run.tokens.renew(token, of: plan.service, in: run)
            isRenewed = true
        }
        if let session = attempted.scope.session, run.sessions.mustRenew(session, on: status) {
            try await run.sessions.renew(session, for: request.frame)
            isRenewed = true
        }
        return isRenewed
    }

    private func once(_ begin: () -> Void) async -> Attempted {
        var turn: Turn?
        defer { if let turn { run.limiter.release(turn) } }
        if delivery.asks {
            await run.control.waitUntilUnpaused(request.path)
            guard request.frame.mayBegin else { return stopped }
        } else {
            // What waits for its turn holds no body, and its `now()` is the time of sending.
            turn = await delivery.turn()
            guard turn != nil else { return stopped }
        }
        begin()
        let attempted = Attempted(scope: request.frame.scope(of: request.path))
        let (sending, transport): (HTTPRequest, any Transport)
        do throws(EvaluationProblem) {
            (sending, transport) = try await build(attempted)
        } catch {
            attempted.failure = run.failure(error)
            return attempted
        }
        let delivered = await delivery.deliver(
            sending,
            through: transport,
            isItsTurn: turn != nil,
            scope: attempted.scope
        )
        attempted.answeredURL = delivered.lastURL
        // Another origin than the request's was not shown it.
        if attempted.token != nil,
            (try? Origin(ofURL: delivered.lastURL)) != (try? Origin(ofURL: sending.url))
        {
            attempted.token = nil
        }
        switch delivered.end {
        case .stopped: return stopped
        case .refusal(let failure):
            attempted.failure = failure
            // It was no try.
            attempted.method = nil
        case .duplicate(let failure):
            attempted.failure = failure
            attempted.duplicate = .skipped
            attempted.method = nil
        case .failure(let failure):
            attempted.wasSent = failure.wasSent
            attempted.repetitions = failure.repetitions
            attempted.failure = describe(failure)
        case .answer(let response):
            attempted.wasSent = true
            attempted.repetitions = response.repetitions
            attempted.scope.response = response
            request.note(cookies: response.headers.values(named: "Set-Cookie"), from: delivered.lastURL)
            await look(at: response, attempted)
        }
        // Now all its secrets are known.
        if let record = delivered.record {
            tell(.requestDebug(attempt: number, record.json(redactor: run.redactor)))
        }
        return attempted
    }

    private var stopped: Attempted {
        Attempted(scope: request.frame.scope(of: request.path), failure: .stopped(at: request.step.span))
    }

    /// The request, and what sends it: the transport, or what signs before.
    private func build(
        _ attempted: Attempted
    ) async throws(EvaluationProblem) -> (request: HTTPRequest, transport: any Transport) {
        if plan.usesSession {
            try await attempted.scope.provideSession(of: plan.service ?? run.sessions.onlyService)
        }
        if !request.frame.isForSession {
            // Their cookies are in no jar any more.
            for service in run.resumption.servicesWithCookies(for: plan) {
                _ = try await run.sessions.session(of: service, for: request.frame)
            }
        }
        try await attempted.scope.evaluate(plan.arguments, at: .graph(plan.graph), page: page)
        for variable in plan.vars {
            let value = try variable.value.value(in: attempted.scope.scope(variable.level))
            attempted.scope.vars[variable.name.value] = value
        }
        if let status = plan.settings.expectedStatus {
            attempted.expectedStatus = try status.value.patterns(in: attempted.scope.scope(status.level))
        }
        if plan.usesSessionAtServiceOrigin, try !builder(attempted.scope).isForeign() {
            try await attempted.scope.provideSession(of: plan.service ?? run.sessions.onlyService)
        }
        var builder = builder(attempted.scope)
        var sending = try builder.build()
        attempted.scope = builder.scope
        if let grant = builder.grant {
            let token = try await run.tokens.token(of: grant, in: run)
            attempted.token = token
            sending.headers.append(token.field)
        }
        attempted.method = sending.method
        // Of a constant method, the rules have said so.
        if plan.constantMethod == nil, ["GET", "HEAD"].contains(sending.method), sending.body != .none {
            warn("a body has no meaning with \(sending.method) (RFC 9110, section 9.3)")
        }
        if case .netrc(let netrc) = sending.options.credentials,
            let host = try? Origin(ofURL: sending.url).endpoint.host,
            run.netrcFiles.isFirstToMiss(host, in: netrc)
        {
            warn("\(netrc.path) has no credentials for \(host), so requests to it are sent without any")
        }
        attempted.url = run.redactor.text(sending.url)
        return (sending, builder.sending(through: delivery.transport))
    }

    private func builder(_ scope: RequestScope) -> RequestBuilder {
        RequestBuilder(plan, page: page, scope: scope, redactor: run.redactor, proxies: run.proxies)
    }

    /// Answers of this many bytes take so long to go through that the transport is not held up by it.
    private static let largeAnswer = 64 * 1024

    private func answer(to attempted: Attempted, _ response: HTTPResponse) -> Answer {
        Answer(
            plan,
            response,
            scope: attempted.scope,
            redactor: run.redactor,
            expectedStatus: attempted.expectedStatus,
            as: part
        )
    }

    private func evaluate(_ response: HTTPResponse, _ attempted: Attempted) async -> Answer.Evaluated {
        let answer = answer(to: attempted, response)
        guard response.body.count >= Self.largeAnswer else { return answer.evaluate() }
        return await withTaskExecutorPreference(globalConcurrentExecutor) { answer.evaluate() }
    }

    /// What each response is to the request.
    private var part: Answer.Part {
        guard let flow = request.step.flow else { return .whole }
        return flow.paginate != nil ? .page : flow.until != nil ? .poll : .whole
    }

    /// Evaluates what was left out while pages were requested, or the condition of `until` did not hold, for the last
    /// response.
    func conclude(_ attempted: Attempted) async {
        guard let response = attempted.response else { return }
        // A status that was rejected is one of the expectations.
        let rejection = attempted.isPending && attempted.failure?.kind == .status ? attempted.failure : nil
        if attempted.failure == nil || rejection != nil {
            let answer = answer(to: attempted, response).conclude(with: attempted.data, after: rejection)
            attempted.outputs = answer.outputs
            attempted.failure = answer.failure
        }
        if attempted.failure != nil { await keepBody(of: attempted) }
    }

    /// Goes through the answer. Its secrets are known before anything is told of it.
    private func look(at response: HTTPResponse, _ attempted: Attempted) async {
        let answer = await evaluate(response, attempted)
        attempted.scope.data = answer.data ?? (part == .poll ? nil : ScopeValue(.null))
        attempted.body = answer.body
        attempted.scope.body = answer.body
        attempted.outputs = answer.outputs
        attempted.failure = answer.failure
        attempted.isPending = part == .poll
        if delivery.tellsDetails {
            let headers = response.headers.list.map { run.redactor.header($0.name, $0.value) }
            tell(.responseHead(.init(attempt: number, status: response.status, headers: headers)))
            let bytes = ByteCounts(sent: response.bytesSent, received: response.bytesReceived)
            tell(.responseFinished(attempt: number, status: response.status, PhaseTimes(response.timings), bytes))
        }
        if let name = answer.duplicateName {
            warn("the answer has the name '\(name)' twice in one object; the last counts")
        }
        if let escapes = answer.loneSurrogates {
            let subject = escapes.count == 1 ? "an escape that is" : "\(escapes.count) escapes that are"
            warn(
                "the response has \(subject) half of a surrogate pair, which is not a character "
                    + "(\(escapes.count == 1 ? "" : "the first ")at byte \(escapes.firstOffset)); "
                    + "U+FFFD was used instead"
            )
        }
        if answer.failure != nil, !attempted.isPending { await keepBody(of: attempted) }
    }

    /// Keeps the body of a response that was not as it should be, once.
    func keepBody(of attempted: Attempted) async {
        guard let folder = run.folder, let response = attempted.response, !response.body.isEmpty,
            !attempted.isBodyKept
        else { return }
        attempted.isBodyKept = true
        do {
            let kept = try await folder.keep(
                body: run.redactor.bytes(response.body),
                of: request.path,
                contentType: response.headers.first(named: "Content-Type")
            )
            if kept == .noRoom(isFirst: true) {
                warn(
                    "the bodies of failed responses take \(RunFolder.bodyLimitInMiB) MiB: this one and further ones are not kept"
                )
            }
        } catch {
            warn("the body is not kept: \(error)")
        }
    }

    // MARK: Events

    private func tell(_ kind: RunEvent.Kind) {
        run.events.emit(kind, step: request.path, endpoint: plan.endpoint)
    }

    private func warn(_ message: String) {
        tell(.warning(run.redactor.text(message), at: plan.address.text.span))
    }

    private func describe(_ failure: TransportFailure) -> Failure {
        Failure(FailureKind(failure.kind), run.redactor.text(failure.message), at: request.step.span)
    }
}
