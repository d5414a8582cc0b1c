import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults

/// Executes the actions of `intercept` in two rounds. In the first round, `fail` and `recover` can turn a success into
/// a failure and a failure into a success; the second round follows the final outcome.
struct Interceptor {
    let request: RequestStep
    let context: StepContext
    private var run: RunContext { context.run }

    /// Applies the interceptors of a request to its outcome. None is executed for a cancelled request or a duplicate, which
    /// has neither succeeded nor failed.
    ///
    /// - Parameter complete: Called between the rounds, to complete the files of a success, which may still fail then.
    func intercept(_ outcome: inout AttemptOutcome, completing complete: (inout AttemptOutcome) async -> Void) async {
        guard outcome.failure?.kind != .cancelled, outcome.duplicate == nil else { return }
        let settings = request.plan.settings.intercept
        if !settings.isEmpty {
            if outcome.failure == nil { perform(settings, .beforeSuccess, on: &outcome) }
            if outcome.failure != nil, !isStopped(outcome) { perform(settings, .beforeFailure, on: &outcome) }
            // A step that is past its deadline cannot pass, whatever it has recovered.
            if isStopped(outcome) {
                outcome.failure = .stopped(at: request.step.span)
                return
            }
        }
        await complete(&outcome)
        if outcome.failure?.kind == .cancelled { return }
        perform(settings, outcome.failure == nil ? .afterSuccess : .afterFailure, on: &outcome)
    }

    /// Whether the step was cancelled or is past its deadline, which may have stopped an evaluation.
    private func isStopped(_ outcome: AttemptOutcome) -> Bool {
        outcome.scope.environment.hasStopped || Task.isCancelled || context.deadline?.passed != nil
    }

    /// Performs the actions of a hook, those of nearer levels first.
    private func perform(
        _ settings: [Setting<Interception>],
        _ moment: Interception.Moment,
        on outcome: inout AttemptOutcome
    ) {
        let actions = settings.reversed().flatMap { setting in
            (setting.value.actions[moment] ?? []).map { (level: setting.level, action: $0) }
        }
        for (level, action) in actions {
            do throws(EvaluationFailure) {
                let scope = outcome.scope.scope(level)
                if try applies(action, in: scope, to: outcome) { try perform(action, in: scope, on: &outcome) }
            } catch {
                guard outcome.failure != nil else {
                    outcome.failure = run.failure(error)
                    continue
                }
                // The earlier failure is more informative.
                run.warn(
                    "an action of '\(moment.rawValue)' had no effect: \(error.message)",
                    at: error.span,
                    step: context.path,
                    endpoint: request.plan.endpoint
                )
            }
        }
    }

    /// Whether the condition of an action holds. One about the response does not if the request failed without one.
    private func applies(
        _ action: Interception.Action,
        in scope: EvaluationScope,
        to outcome: AttemptOutcome
    ) throws(EvaluationFailure) -> Bool {
        guard let when = action.when else { return true }
        do throws(EvaluationFailure) {
            return try when.holds(in: scope)
        } catch {
            guard outcome.failure != nil, outcome.response == nil else { throw error }
            return false
        }
    }

    private func perform(
        _ action: Interception.Action,
        in scope: EvaluationScope,
        on outcome: inout AttemptOutcome
    ) throws(EvaluationFailure) {
        switch action.work {
        case .log(let message):
            run.events.emit(.log(run.redactor.text(try message.shownText(in: scope))), step: context.path)
        case .fail(let message):
            // An earlier action of the same hook may have failed already.
            guard outcome.failure == nil else { return }
            let text = try message.shownText(in: scope)
            outcome.failure = Failure(.expect, run.redactor.text(text), at: action.span)
            outcome.failure?.isSpecific = true
        case .recover(let value):
            guard outcome.failure != nil else { return }
            var data = try value.checkedValue(in: scope)
            outcome.recovery = data
            let isPaginated = request.step.paginate != nil
            // The records of events have been written.
            if isPaginated || context.output != nil && request.plan.settings.stream != nil {
                guard let items = data.json.array else {
                    outcome.recovery = nil
                    outcome.failure = Failure(
                        .output,
                        isPaginated
                            ? "the data of 'recover' must be a list: with 'paginate', it takes the place of a page's items"
                            : "the data of 'recover' must be a list: with 'stream', it follows the events so far",
                        at: value.span
                    )
                    return
                }
                // The items of the earlier pages are kept.
                let earlier = outcome.data
                data = ScopeValue(
                    .array((earlier?.json.array ?? []) + items),
                    isSecret: data.isSecret || earlier?.isSecret == true
                )
            }
            outcome.scope.data = data
            outcome.failure = request.plan.returnsFailure(of: data.json, run.redactor)
            if outcome.failure == nil { evaluateOutputs(of: &outcome) }
        }
    }

    /// Evaluates the outputs with the data that replaced a failure. Outputs that cannot be evaluated keep their values.
    private func evaluateOutputs(of outcome: inout AttemptOutcome) {
        for output in request.plan.outputs {
            guard var value = try? output.value.outputValue(in: outcome.scope.scope(output.level)) else { continue }
            value.isSecret = value.isSecret || output.isSecret
            do throws(EvaluationFailure) {
                if value.isSecret { try run.redactor.register(secretsIn: value.json, at: output.value.span) }
            } catch {
                outcome.failure = run.failure(error)
                return
            }
            outcome.outputs[output.name.value] = value
        }
    }
}
