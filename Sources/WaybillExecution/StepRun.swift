import WaybillData
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// One request of a run, from its expressions to its result.
struct StepRun: Sendable {
    /// What came of the step.
    struct Outcome: Sendable {
        /// What is reported.
        var result: StepResult
        /// What later expressions see.
        var record: StepRecord
        /// Whether what follows must not go on.
        var isFailed: Bool
    }

    private let step: StepPlan
    private let plan: RequestPlan
    private let graph: GraphRun
    private var context: RunContext { graph.context }

    init(_ step: StepPlan, _ plan: RequestPlan, graph: GraphRun) {
        self.step = step
        self.plan = plan
        self.graph = graph
    }

    /// Waits for a place, sends the request and looks at the answer.
    func run() async -> Outcome {
        await context.limiter.withPlace { await attempt() } ?? outcome(StepResult(step, plan, outcome: .skipped))
    }

    private func attempt() async -> Outcome {
        // A run that cannot be recorded any more must not go on.
        guard !Task.isCancelled, context.folder?.journal.error == nil else {
            return outcome(StepResult(step, plan, outcome: .skipped))
        }
        var result = StepResult(step, plan, outcome: .passed)
        result.startedAt = .now()
        context.events.emit(.stepStarted, step: step.path)

        var builder = RequestBuilder(
            plan,
            scope: graph.requestScope(),
            redactor: context.redactor,
            proxies: context.proxies
        )
        let request: HTTPRequest
        do {
            request = try builder.build()
        } catch {
            return outcome(result, failure: Failure(.input, context.redactor.text(error.message), at: error.span))
        }
        let url = context.redactor.text(request.url)
        result.url = url
        result.method = request.method
        result.attempts = 1
        let headers = context.redactor.headers(request.headers.map { ($0.name, $0.value) })
        context.events.emit(
            .requestWillSend(.init(attempt: 1, method: request.method, url: url, headers: headers)),
            step: step.path
        )

        let sent = await context.transport.send(
            request,
            followingRedirects: plan.settings.redirects?.value ?? 10
        ) { redirect in
            context.events.emit(
                .requestRedirected(
                    .init(
                        attempt: 1,
                        status: redirect.status,
                        method: redirect.method,
                        url: context.redactor.text(redirect.to)
                    )
                ),
                step: step.path
            )
        }
        switch sent {
        case .failure(let failure):
            return outcome(result, failure: describe(failure))
        case .success(let response):
            result.receive(response)
            // Evaluated before anything is told of it, so that secrets in it are known by then.
            let answer = Answer(plan, response, scope: builder.scope, redactor: context.redactor).evaluate()
            emit(response, times: result.time ?? PhaseTimes(total: .zero), bytes: result.bytes ?? ByteCounts())
            if let name = answer.duplicateName {
                warn("the answer has the name '\(name)' twice in one object; the last counts")
            }
            if answer.failure != nil { await keepBody(of: response) }
            return outcome(result, failure: answer.failure, answer: answer, response: response)
        }
    }

    private func warn(_ message: String) {
        context.events.emit(.warning(context.redactor.text(message), at: plan.address.text.span), step: step.path)
    }

    /// Keeps the body of an answer that was not as it should be, for whoever looks into it.
    private func keepBody(of response: HTTPResponse) async {
        guard let folder = context.folder, !response.body.isEmpty else { return }
        do {
            _ = try await folder.keep(
                body: context.redactor.bytes(response.body),
                of: step.path,
                contentType: response.headers.first(named: "Content-Type")
            )
        } catch {
            warn("the body is not kept: \(error)")
        }
    }

    private func emit(_ response: HTTPResponse, times: PhaseTimes, bytes: ByteCounts) {
        let headers = context.redactor.headers(response.headers.map { ($0.name, $0.value) })
        context.events.emit(
            .responseHead(.init(attempt: 1, status: response.status, headers: headers)),
            step: step.path
        )
        context.events.emit(
            .responseFinished(attempt: 1, status: response.status, times, bytes),
            step: step.path
        )
    }

    private func describe(_ failure: TransportFailure) -> Failure {
        let kind: FailureKind =
            switch failure.kind {
            case .dns: .dns
            case .connect: .connect
            case .tls: .tls
            case .timeout: .timeout
            case .transfer: .transfer
            case .cancelled: .cancelled
            }
        return Failure(kind, context.redactor.text(failure.message), at: step.span)
    }

    private func outcome(
        _ result: StepResult,
        failure: Failure? = nil,
        answer: Answer.Evaluated? = nil,
        response: HTTPResponse? = nil
    ) -> Outcome {
        var result = result
        result.failure = failure
        if let failure {
            result.outcome = failure.kind == .cancelled ? .cancelled : step.isTolerated ? .tolerated : .failed
        }
        if result.outcome == .skipped {
            context.events.emit(.stepSkipped(.interrupted), step: step.path)
        } else {
            context.events.emit(.stepFinished(result), step: step.path)
        }
        var record = StepRecord(isPassed: result.outcome == .passed, error: failure.json)
        if step.keeps.contains(.outputs) { record.outputs = answer?.outputs ?? [:] }
        if step.keeps.contains(.data) { record.data = answer?.data }
        if step.keeps.contains(.response), let response { record.response = response.withoutBody }
        let isFailed = failure.map { $0.kind != .cancelled } ?? false
        return Outcome(result: result, record: record, isFailed: isFailed)
    }
}

extension StepResult {
    /// The result of a request before anything has happened.
    init(_ step: StepPlan, _ request: RequestPlan, outcome: StepOutcome) {
        self.init(
            id: step.id ?? String(step.path.split(separator: ".").last ?? ""),
            path: step.path,
            graph: request.graph,
            outcome: outcome,
            name: step.name,
            endpoint: request.endpoint
        )
    }

    /// Takes over what an answer says about itself.
    fileprivate mutating func receive(_ response: HTTPResponse) {
        status = response.status
        time = PhaseTimes(
            total: response.timings.total,
            dns: response.timings.dns.ifNeeded,
            connect: response.timings.connect.ifNeeded,
            tls: response.timings.tls.ifNeeded,
            firstByte: response.timings.firstByte
        )
        bytes = ByteCounts(sent: response.bytesSent, received: response.bytesReceived)
    }
}

extension Duration {
    /// The length of a phase; `nil` for one that was not needed.
    fileprivate var ifNeeded: Duration? { self == .zero ? nil : self }
}

extension Failure? {
    /// The failure as expressions see it in `steps.ID.error`: null, or `{kind, code, message}`.
    var json: JSON {
        guard let failure = self else { return .null }
        return [
            "kind": .string(failure.kind.rawValue),
            "code": failure.code.map { .string($0.string) } ?? .null,
            "message": .string(failure.message.string),
        ]
    }
}

extension HTTPResponse {
    /// The answer without its body, for keeping.
    fileprivate var withoutBody: HTTPResponse {
        var response = self
        response.body = []
        return response
    }
}
