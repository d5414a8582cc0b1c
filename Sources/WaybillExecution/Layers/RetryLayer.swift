import WaybillDiagnostics
import WaybillFormats
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// `retry`: repeats an attempt that failed, as long as its policy allows.
struct RetryLayer<Inner: Layer<RequestStep, AttemptOutcome>>: Layer {
    let inner: Inner

    func execute(_ request: RequestStep, in context: StepContext) async -> AttemptOutcome {
        let (run, plan) = (context.run, request.plan)
        var context = context
        var state: RetryState?
        while true {
            var outcome = await inner.execute(request, in: context)
            guard let failure = outcome.failure else { return outcome }
            // A computed method is known with the first attempt.
            let isIdempotent = plan.isIdempotent(sentAs: outcome.method)
            var next = state ?? RetryState(plan.settings.retry?.value, isIdempotent: isIdempotent)
            var failed = outcome.failed(failure)
            failed.retryAfter = failed.retryAfter ?? context.stream?.reconnectionTime
            if context.stream?.isOver == true { return outcome }
            guard var pause = next.pause(after: failed, chance: .random(in: 0..<1)) else {
                if let wait = next.refusedWait {
                    let source = outcome.response?.retryAfter() == nil ? "stream's 'retry'" : "response's Retry-After"
                    warn(ofRefusedWait: wait, from: source, plan, in: context)
                    if outcome.response?.retryAfter() != nil { return outcome }
                    let reason = "the \(source) asks to wait longer than the maximum (retry.backoff.max)"
                    outcome.failure?.message = "\(failure.message); \(run.redactor.text(reason))"
                }
                return outcome
            }
            state = next
            pause = context.stream?.pause(pause) ?? pause
            run.events.emit(
                .requestRetrying(.init(attempt: outcome.progress.attempts, pause: pause, failure: failure)),
                step: context.path,
                endpoint: plan.endpoint
            )
            // The bodies have been kept, and take no memory during the pause.
            outcome.scope.request?.body = nil
            outcome.scope.request?.memory = nil
            outcome.scope.response?.body = []
            outcome.scope.response?.memory = nil
            (outcome.body, outcome.scope.body, outcome.scope.data) = (nil, nil, nil)
            guard await context.pause(for: pause) else {
                // The failure is not final: no interceptor recovers from it, and a resumed run sends the request again.
                outcome.failure = .stopped(at: request.step.span)
                return outcome
            }
            context = context.again(after: outcome.progress)
        }
    }

    private func warn(ofRefusedWait wait: Duration, from source: String, _ plan: RequestPlan, in context: StepContext) {
        guard let retry = plan.settings.retry else { return }
        let message =
            "the request was not sent again: the \(source) asks to wait for \(wait.retryAfterWords), longer than the "
            + "maximum of \(retry.value.backoff.max.words) (retry.backoff.max)"
        let (run, path) = (context.run, context.path)
        let warning = RunEvent.Kind.warning(run.redactor.text(message), at: SourceLocation(retry.span))
        run.events.emit(warning, step: path, endpoint: plan.endpoint)
    }
}

/// Decides after each attempt whether there is another one, and when.
struct RetryState: Sendable {
    /// An attempt that failed.
    struct Failed: Sendable {
        /// The stage that failed.
        var kind: FailureKind
        /// The status of the response, if there is one.
        var status: Int?
        /// Whether the request, or a part of it, may have reached the server.
        var wasSent: Bool
        /// How long the response asks to wait.
        var retryAfter: Duration?
    }

    private let policy: RetryPolicy?
    private let isIdempotent: Bool
    private var retries = 0
    private var wait: Duration
    /// How long the server asked to wait, if there is no further attempt only because that is too long.
    private(set) var refusedWait: Duration?

    /// The state before the first attempt of a request whose method may or may not be sent twice (RFC 9110, section 9.2.2).
    init(_ policy: RetryPolicy?, isIdempotent: Bool) {
        self.policy = policy
        self.isIdempotent = isIdempotent
        wait = policy?.backoff.first ?? .zero
    }

    /// How long to wait before the next attempt; `nil` when there is none.
    ///
    /// - Parameter chance: A random number in `0..<1`, for the jitter.
    mutating func pause(after failed: Failed, chance: Double) -> Duration? {
        guard let policy, retries < policy.times, policy.applies(to: failed) else { return nil }
        // A request that never reached the server can always be sent again.
        guard isIdempotent || policy.isUnsafe || !failed.wasSent else { return nil }
        let pause: Duration
        if let requestedPause = failed.retryAfter {
            guard requestedPause <= policy.backoff.max else {
                refusedWait = requestedPause
                return nil
            }
            pause = requestedPause
        } else {
            let longest = min(wait, policy.backoff.max)
            pause = policy.backoff.jitter ? longest * (0.5 + chance / 2) : longest
        }
        retries += 1
        wait = min(wait, policy.backoff.max) * policy.backoff.factor
        return pause
    }
}

extension RetryPolicy {
    fileprivate func applies(to failed: RetryState.Failed) -> Bool {
        causes.contains { cause in
            switch cause {
            case .kind(let kind): kind == failed.kind.rawValue
            case .status(let pattern): failed.kind == .status && failed.status.map(pattern.matches) ?? false
            }
        }
    }
}
