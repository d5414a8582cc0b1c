import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillManifest
import WaybillPlan
import WaybillResults

/// `until`: repeats the work of a step until a condition holds.
struct UntilLayer<Inner: RepeatableLayer>: Layer {
    let inner: Inner

    func execute(_ step: Inner.Step, in context: StepContext) async -> Inner.Outcome {
        guard let until = step.step.flow?.until else { return await inner.execute(step, in: context) }
        let run = context.run
        var state = UntilState(until: until)
        let start = run.clock.now
        var context = inner.firstTry(in: context)
        while true {
            var outcome = await inner.execute(step, in: context)
            guard let attempt = inner.untilAttempt(outcome, in: context) else { return outcome }
            let end: UntilEnd
            do throws(EvaluationFailure) {
                let elapsed = run.clock.now - start
                switch try state.next(in: attempt.scope, elapsed: elapsed, retryAfter: attempt.retryAfter) {
                case .done: end = .holds
                case .failed(let message, let kind, let span, let isSpecific):
                    var failure = Failure(kind, run.redactor.text(message), at: span)
                    failure.isSpecific = isSpecific
                    end = .failed(failure)
                case .again(let pause):
                    await inner.discardFiles(of: &outcome, step, in: context)
                    run.events.emit(.pollFinished(poll: state.tries, pause: pause), step: context.path)
                    if await context.pause(for: pause) {
                        context = attempt.next
                        continue
                    }
                    end = .stopped
                }
            } catch {
                end = .unknown(run.failure(error))
            }
            return await inner.conclude(outcome, end, of: step, in: context)
        }
    }
}

/// How the repetition of a step ends.
enum UntilEnd {
    /// The condition holds.
    case holds
    /// The maximum number of tries or the time limit is reached, or the condition of `fail` holds.
    case failed(Failure)
    /// The condition cannot be evaluated.
    case unknown(Failure)
    /// The run was stopped between two tries.
    case stopped
}

/// A try that the condition of `until` is evaluated for.
struct UntilAttempt {
    /// The scope of the condition.
    var scope: EvaluationScope
    /// How long the response asks to wait.
    var retryAfter: Duration?
    /// The context of the next try.
    var next: StepContext
}

/// The work that `until` repeats.
protocol RepeatableLayer: Layer where Step: WorkStep {
    /// The context of the first try.
    func firstTry(in context: StepContext) -> StepContext
    /// The try that the condition is evaluated for; `nil` if the outcome is final in any case.
    func untilAttempt(_ outcome: Outcome, in context: StepContext) -> UntilAttempt?
    /// Deletes the files of a try after which another one follows.
    func discardFiles(of outcome: inout Outcome, _ step: Step, in context: StepContext) async
    /// The outcome of the step after its last try.
    func conclude(_ outcome: Outcome, _ end: UntilEnd, of step: Step, in context: StepContext) async -> Outcome
}

extension RepeatableLayer {
    func firstTry(in context: StepContext) -> StepContext { context }
}

/// The work of groups, graphs and values: a failure is not repeated. The requests of each round are others.
extension RepeatableLayer where Outcome == NodeOutcome {
    func firstTry(in context: StepContext) -> StepContext { context.inRounds() }

    func untilAttempt(_ outcome: NodeOutcome, in context: StepContext) -> UntilAttempt? {
        guard outcome.end == .passed else { return nil }
        return UntilAttempt(scope: context.evaluationScope, next: context.nextRound())
    }

    func discardFiles(of outcome: inout NodeOutcome, _ step: Step, in context: StepContext) async {}

    func conclude(
        _ outcome: NodeOutcome,
        _ end: UntilEnd,
        of step: Step,
        in context: StepContext
    ) async -> NodeOutcome {
        switch end {
        case .holds: return outcome
        case .failed(let failure), .unknown(let failure):
            return context.failed(step.step, failure, after: outcome)
        case .stopped:
            var outcome = outcome
            outcome.end = .cancelled
            return outcome
        }
    }
}

/// Decides after each try of a step with `until` whether and when another one follows.
struct UntilState: Sendable {
    /// What follows a try.
    enum Decision: Sendable {
        /// The condition holds.
        case done
        /// Another try follows after a pause.
        case again(after: Duration)
        /// The step fails for this reason. `isSpecific` is whether the manifest has the message.
        case failed(message: String, FailureKind, at: SourceSpan, isSpecific: Bool = false)
    }

    /// The default time between two tries.
    private static let usualPause = Duration.seconds(1)

    let until: Until
    private(set) var tries = 0

    /// Decides what follows a try. Both `times` and `within` are upper limits. A longer `Retry-After` of the
    /// response replaces `every`.
    mutating func next(
        in scope: EvaluationScope,
        elapsed: Duration,
        retryAfter: Duration?
    ) throws(EvaluationFailure) -> Decision {
        tries += 1
        // A job that has failed may also be finished.
        if let failed = try failed(in: scope) { return failed }
        if try until.that.holds(in: scope) { return .done }
        let complaint = until.that.complaint(in: scope)
        if let times = until.times, tries >= times {
            let count = times == 1 ? "1 poll" : "\(times) polls"
            return .failed(message: "after \(count), \(complaint)", .expect, at: until.that.span)
        }
        var pause = try until.every?.duration(in: scope) ?? Self.usualPause
        if let retryAfter, retryAfter > pause { pause = retryAfter }
        if let within = until.within, case let limit = try within.duration(in: scope), elapsed + pause > limit {
            return .failed(message: "after \(limit.words), \(complaint)", .timeout, at: until.that.span)
        }
        return .again(after: pause)
    }

    /// The failure, if the condition of `fail` holds.
    private func failed(in scope: EvaluationScope) throws(EvaluationFailure) -> Decision? {
        guard let fail = until.fail, try fail.when.holds(in: scope) else { return nil }
        let words =
            (try? fail.message?.shownText(in: scope))
            ?? "polling stopped, because '\(fail.when.expression.text)' is true"
        return .failed(message: words, .expect, at: fail.when.span, isSpecific: fail.message != nil)
    }
}
