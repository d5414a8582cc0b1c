import WaybillData
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// One attempt of a request: it is evaluated and sent, and its answer looked at.
struct Attempt: Sendable {
    private let request: RequestRun
    private let number: Int
    private let page: PageRequest
    private var plan: RequestPlan { request.plan }
    private var run: RunContext { request.run }

    init(_ request: RequestRun, number: Int, page: PageRequest) {
        self.request = request
        self.number = number
        self.page = page
    }

    /// Tries; a session or token that the server refuses is renewed, once for all who share it, and the request repeated
    /// once.
    func run() async -> Attempted {
        let attempted = await once()
        do throws(EvaluationProblem) {
            guard try await renew(attempted) else { return attempted }
        } catch {
            var failed = attempted
            failed.failure = run.failure(error)
            return failed
        }
        return await once()
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

    private func once() async -> Attempted {
        var attempted = Attempted(scope: request.frame.scope(of: request.path))
        let (sending, transport): (HTTPRequest, any Transport)
        do throws(EvaluationProblem) {
            (sending, transport) = try await build(&attempted)
        } catch {
            attempted.failure = run.failure(error)
            return attempted
        }
        attempted.answeredURL = sending.url
        let sent = await transport.send(
            sending,
            followingRedirects: plan.settings.redirects?.value ?? 10,
            onRedirect: { redirect in
                attempted.answeredURL = redirect.to
                if redirect.leavesOrigin { attempted.token = nil }
                tell(redirect)
            }
        )
        switch sent {
        case .failure(let failure):
            attempted.wasSent = failure.wasSent
            attempted.failure = describe(failure)
        case .success(let response):
            attempted.wasSent = true
            attempted.response = response
            await look(at: response, &attempted)
        }
        return attempted
    }

    /// The request, and what sends it: the transport, or what signs before.
    private func build(
        _ attempted: inout Attempted
    ) async throws(EvaluationProblem) -> (request: HTTPRequest, transport: any Transport) {
        if plan.usesSession {
            try await attempted.scope.provideSession(of: plan.service ?? run.sessions.onlyService)
        }
        try await attempted.scope.evaluate(plan.arguments, at: .graph(plan.graph), page: page)
        for variable in plan.vars {
            let value = try variable.value.value(in: attempted.scope.scope(variable.level))
            attempted.scope.vars[variable.name.value] = value
        }
        var builder = RequestBuilder(
            plan,
            page: page,
            scope: attempted.scope,
            redactor: run.redactor,
            proxies: run.proxies
        )
        var sending = try builder.build()
        attempted.scope = builder.scope
        if let grant = builder.grant {
            let token = try await run.tokens.token(of: grant, in: run)
            attempted.token = token
            sending.headers.append(token.field)
        }
        attempted.method = sending.method
        let url = run.redactor.text(sending.url)
        attempted.url = url
        // What must not be sent twice has to be known before it is sent.
        if tellsDetails || !sending.isIdempotent {
            let headers = run.redactor.headers(sending.headers.map { ($0.name, $0.value) })
            run.events.emit(
                .requestWillSend(.init(attempt: number, method: sending.method, url: url, headers: headers)),
                step: request.path,
                durably: !sending.isIdempotent
            )
        }
        return (sending, builder.sending(through: run.transport))
    }

    /// Goes through the answer. Its secrets are known before anything is told of it.
    private func look(at response: HTTPResponse, _ attempted: inout Attempted) async {
        let isPage = request.step.flow?.paginate != nil
        let answer = Answer(plan, response, scope: attempted.scope, redactor: run.redactor, isPage: isPage).evaluate()
        attempted.scope.response = response
        attempted.scope.data = answer.data
        attempted.body = answer.body
        attempted.data = answer.data
        attempted.isBytes = answer.isBytes
        attempted.outputs = answer.outputs
        attempted.failure = answer.failure
        if tellsDetails {
            let headers = run.redactor.headers(response.headers.map { ($0.name, $0.value) })
            tell(.responseHead(.init(attempt: number, status: response.status, headers: headers)))
            let bytes = ByteCounts(sent: response.bytesSent, received: response.bytesReceived)
            tell(.responseFinished(attempt: number, status: response.status, PhaseTimes(response.timings), bytes))
        }
        if let name = answer.duplicateName {
            warn("the answer has the name '\(name)' twice in one object; the last counts")
        }
        if answer.failure != nil { await keepBody(of: response) }
    }

    /// Keeps the body of an answer that was not as it should be, for whoever looks into it.
    private func keepBody(of response: HTTPResponse) async {
        guard let folder = run.folder, !response.body.isEmpty else { return }
        do {
            _ = try await folder.keep(
                body: run.redactor.bytes(response.body),
                of: request.path,
                contentType: response.headers.first(named: "Content-Type")
            )
        } catch {
            warn("the body is not kept: \(error)")
        }
    }

    // MARK: Events

    /// Whether the single steps of the transfer are told. A `forEach` may have a million elements: of theirs only what
    /// came of them is told, unless `debug` asks for more.
    private var tellsDetails: Bool {
        !request.frame.isElement(request.step) || plan.settings.debug?.value == true
    }

    private func tell(_ kind: RunEvent.Kind) {
        run.events.emit(kind, step: request.path)
    }

    private func tell(_ redirect: Redirect) {
        tell(
            .requestRedirected(
                .init(
                    attempt: number,
                    status: redirect.status,
                    method: redirect.method,
                    url: run.redactor.text(redirect.to)
                )
            )
        )
    }

    private func warn(_ message: String) {
        tell(.warning(run.redactor.text(message), at: plan.address.text.span))
    }

    private func describe(_ failure: TransportFailure) -> Failure {
        Failure(FailureKind(failure.kind), run.redactor.text(failure.message), at: request.step.span)
    }
}
