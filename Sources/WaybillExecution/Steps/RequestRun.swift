import Synchronization
import WaybillDiagnostics
import WaybillFormats
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// One request of a step, `until`( `retry`( attempt )), from its first attempt to its result.
final class RequestRun: Sendable {
    /// What came of the request.
    struct Outcome: Sendable {
        /// What is reported.
        var result: StepResult
        /// What later expressions see.
        var record: StepRecord
        /// How it ended, for what stands around it.
        var end: NodeRun.End
        /// What becomes of it when the run is resumed.
        var use = RunEvent.KeptRecord.Use.taken
        /// The domains whose cookies in the run's own jar it set.
        var cookies: [RedactedText] = []
    }

    let step: StepPlan
    let plan: RequestPlan
    let path: String
    let frame: Frame
    /// Where its records go.
    let output: ElementOutput?
    /// Its claim among the same requests, where those matter that are under way.
    let claim: DuplicateClaim?
    /// The domains whose cookies the responses set so far.
    private let cookies = Mutex<Set<String>>([])
    var run: RunContext { frame.run }

    /// Notes the cookies that a response from a URL puts into the run's own jar, which a resumed run starts without.
    func note(cookies fields: [String], from url: String) {
        guard !fields.isEmpty, plan.usesOwnJar else { return }
        cookies.withLock { $0.formUnion(fields.map { CookieDomain.text(of: $0, from: url) }) }
    }

    /// The domains whose cookies in the run's own jar the request set so far.
    var cookieDomains: [RedactedText] { cookies.withLock { $0.sorted() }.map { run.redactor.text($0) } }

    init(_ step: StepPlan, _ plan: RequestPlan, at path: String, in frame: Frame, output: ElementOutput? = nil) {
        self.step = step
        self.plan = plan
        self.path = path
        self.frame = frame
        self.output = output
        switch plan.settings.duplicates?.value.mode {
        case .cancelPrevious, .discard: claim = frame.run.duplicates.claim()
        case .allow, .share, nil: claim = nil
        }
    }

    /// Sends the request as often as it takes, and says what came of it.
    func run() async -> Outcome {
        guard let claim else { return await carryOut() }
        return await claim.run { await carryOut() }
    }

    private func carryOut() async -> Outcome {
        var result = StepResult(step, at: path, graph: frame.graph, outcome: .passed)
        let attempted: Attempted
        if let failure = frame.unsureFailure(of: plan, at: path) {
            // Its file, if it is that of many elements, is written without its records.
            run.unrepeated.withLock { $0[path] = output == nil || !frame.isElement(step) }
            result.startedAt = .now()
            attempted = Attempted(scope: frame.scope(of: path), failure: failure)
            attempted.wasSent = true
        } else {
            let start = run.activeTime
            attempted = await untilDone(&result)
            // Of a single attempt the transfer itself is timed, without waiting for its turn.
            if result.attempts > 1 { result.time?.total = run.activeTime - start }
        }
        if attempted.failure?.kind == .cancelled, let claim, claim.isSuperseded {
            attempted.failure = Delivery(self, attempt: result.attempts).superseded
            attempted.duplicate = .cancelled
        }
        if result.startedAt != nil {
            Interceptor(self, attempted).intercept { $0.failure = write($0) }
            // Also of a failure that came after the attempt: of paging, an interceptor, or the records.
            if let kind = attempted.failure?.kind, kind != .cancelled, attempted.duplicate == nil {
                await Attempt(self, number: result.attempts, page: .plain).keepBody(of: attempted)
            }
            if let output, !frame.isElement(step) {
                await output.file.finish(attempted, isTolerated: frame.tolerates(step))
            }
        }
        return outcome(result, attempted)
    }

    /// Writes the records of a success. Those of an expected failure, such as a 404, are none.
    private func write(_ attempted: Attempted) -> Failure? {
        guard let output, let data = attempted.data,
            attempted.isRecovered || step.flow?.paginate == nil && (attempted.response?.status ?? 0) / 100 == 2
        else { return nil }
        do throws(Failure) {
            // What was taken of pages has failed with them.
            try output.takeBack()
            try output.append(data, in: attempted.scope)
            return nil
        } catch {
            return error
        }
    }

    /// Polls until the condition of `until` holds. A failure of the transport ends it. What is wrong with a response (its
    /// status, its content, what filters reject) counts only for the last one, or where the condition cannot be evaluated
    /// for that reason.
    private func untilDone(_ result: inout StepResult) async -> Attempted {
        guard let until = step.flow?.until else { return await pages(&result) }
        var state = UntilState(until)
        let start = run.clock.now
        while true {
            let attempted = await pages(&result)
            guard attempted.failure == nil || attempted.isPending else { return attempted }
            do throws(EvaluationProblem) {
                let decision = try state.next(
                    in: attempted.scope.scope(.graph(frame.graph)),
                    elapsed: run.clock.now - start,
                    retryAfter: attempted.response?.retryAfter()
                )
                switch decision {
                case .done:
                    await conclude(attempted, number: result.attempts)
                    return attempted
                case .failed(let message, let kind, let span):
                    let message = run.redactor.text(message)
                    let last = attempted.failure.map { Failure.Finding($0.message, at: $0.span) }
                    let findings = last.map { [Failure.Finding(message, at: span), $0] } ?? []
                    attempted.failure = Failure(kind, message, at: span, findings: findings)
                    await conclude(attempted, number: result.attempts)
                    return attempted
                case .again(let pause):
                    guard await run.pause(for: pause, isFinal: frame.isFinal) else {
                        attempted.failure = .stopped(at: step.span)
                        return attempted
                    }
                }
            } catch {
                attempted.failure = attempted.failure ?? run.failure(error)
                await conclude(attempted, number: result.attempts)
                return attempted
            }
        }
    }

    private func conclude(_ attempted: Attempted, number: Int) async {
        await Attempt(self, number: number, page: .plain).conclude(attempted)
    }

    /// Asks for all pages, or for the only one.
    private func pages(_ result: inout StepResult) async -> Attempted {
        guard let paginate = step.flow?.paginate else { return await retried(&result, page: .plain) }
        var pages = PageRun(self, paginate)
        return await pages.run(&result)
    }

    /// Tries until there is no reason to try again.
    func retried(_ result: inout StepResult, page: PageRequest) async -> Attempted {
        var state: RetryState?
        while true {
            let attempted = await attempt(&result, page)
            guard let failure = attempted.failure else { return attempted }
            // A computed method is known with the first attempt.
            let isIdempotent = plan.isIdempotent(sentAs: attempted.method)
            var next = state ?? RetryState(plan.settings.retry?.value, isIdempotent: isIdempotent)
            guard let pause = next.pause(after: attempted.failed(failure), chance: .random(in: 0..<1)) else {
                if let wait = next.refusedWait { warn(ofRefusedWait: wait) }
                return attempted
            }
            state = next
            run.events.emit(
                .requestRetrying(.init(attempt: result.attempts, pause: pause, failure: failure)),
                step: path,
                endpoint: plan.endpoint
            )
            guard await run.pause(for: pause, isFinal: frame.isFinal) else {
                if Task.isCancelled { attempted.failure = .stopped(at: step.span) }
                return attempted
            }
        }
    }

    private func warn(ofRefusedWait wait: Duration) {
        guard let retry = plan.settings.retry else { return }
        let message =
            "the request was not sent again: the response's Retry-After asks to wait for \(wait.retryAfterWords), longer than the "
            + "maximum of \(retry.value.backoff.max.words) (retry.backoff.max)"
        run.events.emit(.warning(run.redactor.text(message), at: retry.span), step: path, endpoint: plan.endpoint)
    }

    /// Tries once.
    private func attempt(_ result: inout StepResult, _ page: PageRequest) async -> Attempted {
        let attempted = await Attempt(self, number: result.attempts + 1, page: page).run {
            guard result.startedAt == nil else { return }
            result.startedAt = .now()
            if !frame.isElement(step) { run.events.emit(.stepStarted, step: path) }
        }
        result.take(attempted, redactor: run.redactor)
        return attempted
    }

    private func outcome(_ result: StepResult, _ attempted: Attempted) -> Outcome {
        var result = result
        var record = StepRecord(isPassed: true)
        guard result.startedAt != nil else {
            result.outcome = .skipped
            if !frame.isElement(step) { run.events.emit(.stepSkipped(.interrupted), step: path) }
            return Outcome(result: result, record: StepRecord(skipped: .interrupted), end: .skipped(.interrupted))
        }
        var end = NodeRun.End.passed
        if var failure = attempted.failure {
            if failure.kind == .cancelled, let passed = frame.deadline?.passed { failure = passed }
            result.failure = failure.worded(by: plan.settings.messages, redactor: run.redactor)
            end = attempted.duplicate.map { .withdrawn($0) } ?? (failure.kind == .cancelled ? .cancelled : .failed)
            result.outcome =
                attempted.duplicate
                ?? (end == .cancelled ? .cancelled : frame.tolerates(step) ? .tolerated : .failed)
            record = StepRecord(isPassed: false, error: result.failure.inExpressions)
        }
        let isElement = frame.isElement(step)
        if step.keeps.contains(isElement ? .itemOutputs : .outputs) { record.outputs = attempted.outputs }
        if step.keeps.contains(isElement ? .itemData : .data) { record.data = attempted.data }
        if step.keeps.contains(isElement ? .itemStatus : .response) {
            record.response = attempted.response?.withoutBody(isElement: isElement)
        }
        if step.keeps.contains(.written) { record.written = attempted.written }
        var outcome = Outcome(result: result, record: record, end: end)
        if attempted.wasSent, attempted.response == nil, !plan.isIdempotent(sentAs: attempted.method) {
            outcome.use = .unsure
        }
        outcome.cookies = cookieDomains
        if !isElement {
            let kept = record.kept(outcome.use, redactor: run.redactor, cookies: outcome.cookies)
            run.events.emit(.stepFinished(result, kept: kept), step: path)
        }
        return outcome
    }
}

extension Failure {
    /// The run, or a part of it, was stopped.
    static func stopped(at span: SourceSpan) -> Failure {
        Failure(.cancelled, "it was stopped before it had ended", at: span)
    }
}

extension HTTPResponse {
    /// The answer without its body, for keeping; of an element's only the status is ever seen.
    fileprivate func withoutBody(isElement: Bool) -> HTTPResponse {
        var response = self
        response.body = []
        if isElement { response.headers = HTTPFields([]) }
        return response
    }
}
