import WaybillData
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// One request of a step, `until`( `retry`( attempt )), from its first attempt to its result.
struct RequestRun: Sendable {
    /// What came of the request.
    struct Outcome: Sendable {
        /// What is reported.
        var result: StepResult
        /// What later expressions see.
        var record: StepRecord
        /// How it ended, for what stands around it.
        var end: NodeRun.End
    }

    let step: StepPlan
    let plan: RequestPlan
    let path: String
    let frame: Frame
    var run: RunContext { frame.run }

    init(_ step: StepPlan, _ plan: RequestPlan, at path: String, in frame: Frame) {
        self.step = step
        self.plan = plan
        self.path = path
        self.frame = frame
    }

    /// Sends the request as often as it takes, and says what came of it.
    func run() async -> Outcome {
        var result = StepResult(step, at: path, graph: frame.graph, outcome: .passed)
        var attempted = await untilDone(&result)
        if result.startedAt != nil { attempted = Interceptor(self, attempted).intercept() }
        return outcome(result, attempted)
    }

    /// Tries until the condition of `until` holds.
    private func untilDone(_ result: inout StepResult) async -> Attempted {
        guard let until = step.flow?.until else { return await retried(&result) }
        var state = UntilState(until)
        let start = run.clock.now
        while true {
            var attempted = await retried(&result)
            guard attempted.failure == nil else { return attempted }
            do throws(EvaluationProblem) {
                let decision = try state.next(
                    in: attempted.scope.scope(.graph(frame.graph)),
                    elapsed: run.clock.now - start,
                    retryAfter: attempted.response?.retryAfter()
                )
                switch decision {
                case .done: return attempted
                case .failed(let message, let kind, let span):
                    attempted.failure = Failure(kind, run.redactor.text(message), at: span)
                    return attempted
                case .again(let pause):
                    guard await run.pause(for: pause, isFinal: frame.isFinal) else {
                        attempted.failure = .stopped(at: step.span)
                        return attempted
                    }
                }
            } catch {
                attempted.failure = run.failure(error)
                return attempted
            }
        }
    }

    /// Tries until there is no reason to try again.
    private func retried(_ result: inout StepResult) async -> Attempted {
        var state = RetryState(
            plan.settings.retry?.value,
            isIdempotent: HTTPRequest.isIdempotent(method: plan.method)
        )
        while true {
            var attempted = await attempt(&result)
            guard let failure = attempted.failure,
                let pause = state.pause(after: attempted.failed(failure), chance: .random(in: 0..<1))
            else { return attempted }
            run.events.emit(
                .requestRetrying(.init(attempt: result.attempts, pause: pause, failure: failure)),
                step: path
            )
            guard await run.pause(for: pause, isFinal: frame.isFinal) else {
                if Task.isCancelled { attempted.failure = .stopped(at: step.span) }
                return attempted
            }
        }
    }

    /// Tries once.
    private func attempt(_ result: inout StepResult) async -> Attempted {
        let attempted = await Attempt(self, number: result.attempts + 1).run {
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
            end = failure.kind == .cancelled ? .cancelled : .failed
            result.outcome = end == .cancelled ? .cancelled : step.isTolerated ? .tolerated : .failed
            record = StepRecord(isPassed: false, error: result.failure.inExpressions)
        }
        if step.keeps.contains(.outputs) || step.keeps.contains(.items) { record.outputs = attempted.outputs }
        if step.keeps.contains(.data) || step.keeps.contains(.items) { record.data = attempted.data }
        if step.keeps.contains(.response) || step.keeps.contains(.items) {
            record.response = attempted.response?.withoutBody
        }
        if !frame.isElement(step) { run.events.emit(.stepFinished(result), step: path) }
        return Outcome(result: result, record: record, end: end)
    }
}

extension Failure {
    /// The run, or a part of it, was stopped.
    static func stopped(at span: SourceSpan) -> Failure {
        Failure(.cancelled, "it was stopped before it had ended", at: span)
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
