import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// Sends the request of one attempt: waits for its permit, reports the transfer's progress, and pauses it with its
/// step.
struct RequestSender: Sendable {
    /// The outcome of sending a request.
    struct Outcome: Sendable {
        /// How it ended.
        var end: End
        /// The URL that was requested last, after redirects.
        var lastURL: String
        /// The request and its response in full, if `debug` is set.
        var record: DebugRecord?
        /// The domains whose cookies redirects put into the run's own jar.
        var cookieDomains: Set<String> = []
        /// The redirects that were followed.
        var redirects: [Redirect] = []
        /// The file that was downloaded, or that exists.
        var file: AttemptDownload.File?
    }

    /// How it ended.
    enum End: Sendable {
        /// A response was received.
        case response(HTTPResponse)
        /// The request failed before a complete response was received.
        case failure(TransportFailure)
        /// Nothing was sent, for this reason.
        case refusal(Failure)
        /// Not all events of the response were received, or its file could not be stored or is not the expected one. `status`
        /// is what the server sent, which differs from the response's if the file was resumed.
        case fileFailure(Failure, HTTPResponse, status: Int)
        /// Nothing was sent, because the file that it would download exists.
        case fileExists
        /// It was stopped before anything was sent.
        case stopped
    }

    let request: RequestStep
    let context: StepContext
    /// Where the response goes, if it is downloaded.
    var download: AttemptDownload?
    /// What receives the events of its body.
    var stream: EventCollector?
    /// The number of the attempt.
    var attempt: Int { context.progress.attempts + 1 }
    /// Records the request that is actually sent, if `debug` is set.
    private let recorder: RequestRecorder?
    /// Whether the phases and the progress of the transfer are reported. A `forEach` may have a million elements: only
    /// their outcomes are reported, unless `debug` asks for more.
    private let reportsDetails: Bool
    var plan: RequestPlan { request.plan }
    var run: RunContext { context.run }

    /// A sender of the next attempt of a request.
    init(_ request: RequestStep, in context: StepContext) {
        self.request = request
        self.context = context
        let isDebugged = request.plan.settings.debug?.value == true
        recorder = isDebugged ? RequestRecorder(context.run.transport) : nil
        reportsDetails =
            isDebugged || !context.isElement(request.step) || context.run.events.reportsElement(at: context.path)
    }

    /// The maximum number of redirects that are followed.
    var maximumRedirects: Int { plan.settings.redirects?.value ?? RedirectsSetting.default }

    /// What sends the request once it has been signed.
    var transport: any Transport { recorder ?? context.run.transport }

    /// Whether the request and the response are reported: while a trace is exported, also those of an element with
    /// `trace`, or whose request is reported anyway because it must not be sent twice.
    var reportsExchange: Bool {
        reportsDetails || run.events.reportedElements == .traced && (isTraced || !plan.isIdempotent())
    }

    /// Whether the request names its trace.
    private var isTraced: Bool { plan.settings.trace?.value == true }

    /// Waits for a permit to send the request, which has to be released; `nil` when it was stopped.
    func permit() async -> Permit? {
        while true {
            await run.control.waitUntilUnpaused(context.path)
            guard let permit = await run.limiter.acquire(PermitRequest(plan, in: context)) else { return nil }
            guard context.mayStart else {
                run.limiter.release(permit)
                return nil
            }
            // The step was paused while it waited: others can use the permit in the meantime.
            guard run.control.isPaused(context.path) else { return permit }
            run.limiter.release(permit)
        }
    }

    /// Sends a request that has its permit, and follows redirects.
    func transfer(_ sending: HTTPRequest, through transport: any Transport) async -> Outcome {
        let sending = isTraced ? traced(sending) : sending
        let mayBeStored = run.transport.mayHaveStoredResponse(to: sending)
        let body = await reportedBody(of: sending)
        if !mayBeStored { announce(sending, body) }
        var lastURL = sending.url
        var cookieDomains: Set<String> = []
        var redirects: [Redirect] = []
        guard run.folder?.journal.hasFailed != true else { return Outcome(end: .stopped, lastURL: lastURL) }
        let monitor = monitor(sending, announces: mayBeStored && reportsExchange, body)
        let limit = maximumRedirects
        let onRedirect = { (redirect: Redirect) in
            lastURL = redirect.to
            redirects.append(redirect)
            cookieDomains.formUnion(self.cookieDomains(of: redirect.cookies, from: redirect.from))
            if !plan.hasSecretOutputs { report(redirect) }
        }
        if let download {
            var outcome = await run.control.holding(monitor, of: context.path) {
                await download.start(sending, through: transport, followingRedirects: limit, monitor, onRedirect)
            }
            (outcome.lastURL, outcome.cookieDomains, outcome.redirects) = (lastURL, cookieDomains, redirects)
            if let recorder, let result = outcome.end.result {
                outcome.record = DebugRecord(built: sending, sent: recorder.lastRequest, result: result)
            }
            return outcome
        }
        if let stream {
            let end = await run.control.holding(monitor, of: context.path) {
                await stream.send(sending, through: transport, followingRedirects: limit, monitor)
            }
            stream.redirects.forEach(onRedirect)
            var outcome = Outcome(end: end, lastURL: lastURL)
            if let recorder, let result = end.result {
                outcome.record = DebugRecord(built: sending, sent: recorder.lastRequest, result: result)
            }
            (outcome.cookieDomains, outcome.redirects) = (cookieDomains, redirects)
            return outcome
        }
        let sent = await run.control.holding(monitor, of: context.path) {
            await transport.send(sending, followingRedirects: limit, monitor: monitor, onRedirect: onRedirect)
        }
        var outcome: Outcome
        switch sent {
        case .success(var response):
            if !redirects.isEmpty { response.redirects = redirects }
            if let queue = PermitRequest.Queue(plan, in: run.shard) {
                run.limiter.note(isMultiplexed: response.httpVersion == "2", queue: queue.name)
            }
            outcome = Outcome(end: .response(response), lastURL: lastURL)
        case .failure(let failure):
            outcome = Outcome(end: .failure(failure), lastURL: lastURL)
        }
        outcome.record = recorder.map { DebugRecord(built: sending, sent: $0.lastRequest, result: sent) }
        (outcome.cookieDomains, outcome.redirects) = (cookieDomains, redirects)
        return outcome
    }

    /// A request with the fields that name its trace, unless the manifest sets or unsets them. They are added when it is
    /// sent, so that they differ in each attempt and do not distinguish requests that are otherwise equal. A redirect
    /// keeps them, to any origin: they contain no secret.
    private func traced(_ request: HTTPRequest) -> HTTPRequest {
        let name = TraceParent.fieldName
        guard !request.headers.contains(where: { $0.isNamed(name) }), !plan.settings.unsets(field: name) else {
            return request
        }
        var request = request
        for field in run.trace.fields() where !request.headers.contains(where: { $0.isNamed(field.name) }) {
            request.headers.append(field)
        }
        return request
    }

    /// The domains of cookies that a response from a URL puts into a jar.
    func cookieDomains(of fields: [String], from url: String) -> Set<String> {
        guard !fields.isEmpty, plan.keepsCookies else { return [] }
        return Set(fields.map { CookieDomain.text(of: $0, from: url) })
    }

    /// Reports a transfer while it is in flight. The transport calls the monitor on its own thread, which must not block:
    /// events are noted, and reported before the next event of the attempt.
    ///
    /// - Parameter announces: Whether the first request that is sent is reported too.
    private func monitor(_ sending: HTTPRequest, announces: Bool, _ body: BodyExcerpt?) -> TransferMonitor {
        // The progress of files is always reported, because they take long.
        let reportsProgress = reportsDetails || download != nil || sending.body.hasFiles
        guard reportsProgress || announces else { return TransferMonitor() }
        let (bytes, first) = (sending.body.size ?? 0, Once())
        return TransferMonitor { [reportsSending = reportsDetails] event in
            switch event {
            case .willSend(let request):
                // Later requests follow redirects, and are reported as redirects.
                guard announces, first.isFirst() else { return }
                note(.requestWillSend(reported(request, body)))
            case .sent:
                if reportsSending { note(.requestSent(attempt: attempt, bytes: bytes)) }
            case .progress(let progress):
                if reportsProgress { note(.requestProgress(ProgressReport(attempt: attempt, progress))) }
            }
        }
    }

    private func note(_ kind: RunEvent.Kind) {
        run.events.note(kind, step: context.path, endpoint: plan.endpoint)
    }

    private func announce(_ sending: HTTPRequest, _ body: BodyExcerpt?) {
        // A request that must not be sent twice is recorded before it is sent.
        guard reportsExchange || !sending.isIdempotent else { return }
        run.events.emit(
            .requestWillSend(reported(sending, body)),
            step: context.path,
            endpoint: plan.endpoint,
            durably: !sending.isIdempotent
        )
    }

    /// A request as events have it.
    func reported(_ request: HTTPRequest, _ body: BodyExcerpt? = nil) -> RunEvent.SentRequest {
        var reported = RunEvent.SentRequest(
            attempt: attempt,
            method: request.method,
            url: run.redactor.text(request.url),
            headers: run.redactor.headers(request.headers)
        )
        reported.body = body
        return reported
    }

    /// The body of a request as events have it, if they have bodies. The text is left out where it may contain secrets that
    /// are not known: credentials of a session, and what the response makes a secret output.
    private func reportedBody(of request: HTTPRequest) async -> BodyExcerpt? {
        guard run.events.reportsBodies, reportsExchange, request.body != .none else { return nil }
        let isHidden = context.isForSession || plan.hasSecretOutputs
        return await Attempt.excerpt(of: request, isHidden: isHidden, run)
    }

    private func details(of redirect: Redirect) -> RunEvent.Redirection.Details {
        // A secret may be the whole address, which the field has without the origin.
        let isSecret = run.redactor.unchanged(JSON.string(redirect.to)) == nil
        return .init(
            httpVersion: redirect.httpVersion,
            headers: redirect.headers.list.map { field in
                run.redactor.header(field.name, isSecret && field.isNamed("Location") ? redirect.to : field.value)
            },
            time: PhaseTimes(redirect.timings),
            nextHeaders: run.redactor.headers(redirect.nextHeaders)
        )
    }

    /// Reports the redirects of a request with secret outputs, which may be in the addresses: once the outputs are known, or
    /// without what may contain them.
    func reportPostponed(_ redirects: [Redirect], areSecretsKnown: Bool = true) {
        guard plan.hasSecretOutputs else { return }
        redirects.map { areSecretsKnown ? $0 : $0.hiding(path: plan.hasSecretFields) }.forEach(report)
    }

    private func report(_ redirect: Redirect) {
        run.events.emit(
            .requestRedirected(
                .init(
                    attempt: attempt,
                    status: redirect.status,
                    method: redirect.method,
                    url: run.redactor.text(redirect.to),
                    details: reportsDetails ? details(of: redirect) : nil
                )
            ),
            step: context.path,
            endpoint: plan.endpoint
        )
    }
}

extension RequestSender.End {
    /// The response, or the failure of the transfer, if something was sent.
    fileprivate var result: Result<HTTPResponse, TransportFailure>? {
        switch self {
        case .response(let response): .success(response)
        case .fileFailure(_, let response, _): .success(response)
        case .failure(let failure): .failure(failure)
        case .refusal, .fileExists, .stopped: nil
        }
    }
}

extension Redirect {
    /// The redirect without what may contain unknown secrets: the query of its address, perhaps its path, and the header
    /// fields.
    fileprivate func hiding(path: Bool) -> Redirect {
        var redirect = self
        let origin = path ? try? Origin(ofURL: to) : nil
        redirect.to =
            origin.map { "\($0)/\(Redactor.mask)" } ?? String(to.unicodeScalars.prefix { $0 != "?" && $0 != "#" })
        redirect.headers = HTTPFields([])
        redirect.nextHeaders = []
        return redirect
    }
}

extension ProgressReport {
    /// The progress of a transfer.
    fileprivate init(attempt: Int, _ progress: TransferProgress) {
        self.init(
            attempt: attempt,
            sent: progress.sent,
            sentTotal: progress.sentTotal > 0 ? progress.sentTotal : nil,
            received: progress.received,
            receivedTotal: progress.receivedTotal
        )
    }
}

extension TraceContext {
    /// The fields for a request with a new span.
    func fields() -> [HTTPField] {
        let parent = TraceParent(trace: trace, span: .random(), isSampled: isSampled)
        let field = HTTPField(name: TraceParent.fieldName, value: parent.description)
        return [field] + (state.map { [HTTPField(name: "tracestate", value: $0)] } ?? [])
    }
}
