import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest
import WaybillPlan
import WaybillResults

/// Does what `intercept` says around the success or failure of a request, in two rounds: before it counts, when `fail`
/// and `recover` decide which of the two it is, and after.
struct Interceptor {
    private let request: RequestRun
    private let attempted: Attempted
    private var run: RunContext { request.run }

    init(_ request: RequestRun, _ attempted: Attempted) {
        self.request = request
        self.attempted = attempted
    }

    /// Decides what the request comes to. What was cancelled, or is a duplicate, has neither succeeded nor failed.
    ///
    /// - Parameter count: Done between the rounds with what counts as a success, and may still fail.
    func intercept(counting count: (Attempted) -> Void) {
        guard attempted.failure?.kind != .cancelled, attempted.duplicate == nil else { return }
        let setting = request.plan.settings.intercept
        if let setting {
            if attempted.failure == nil { perform(setting, .beforeSuccess) }
            if attempted.failure != nil { perform(setting, .beforeFailure) }
        }
        if attempted.failure == nil { count(attempted) }
        if let setting { perform(setting, attempted.failure == nil ? .afterSuccess : .afterFailure) }
    }

    private func perform(_ setting: Setting<Interception>, _ moment: Interception.Moment) {
        for action in setting.value.actions[moment] ?? [] {
            do throws(EvaluationProblem) {
                let scope = attempted.scope.scope(setting.level)
                if let when = action.when, try !when.holds(in: scope) { continue }
                try perform(action, in: scope)
            } catch {
                // A failure that was there before tells more.
                attempted.failure = attempted.failure ?? run.failure(error)
            }
        }
    }

    private func perform(
        _ action: Interception.Action,
        in scope: EvaluationScope
    ) throws(EvaluationProblem) {
        switch action.work {
        case .log(let message):
            let text = try message.text(in: scope)
            if text.isSecret { try run.redactor.register(text.text, at: action.span) }
            run.events.emit(.log(run.redactor.text(text.text)), step: request.path)
        case .fail(let message):
            // An earlier action of the same hook may have failed already.
            guard attempted.failure == nil else { return }
            let text = try message.text(in: scope).text
            attempted.failure = Failure(.expect, run.redactor.text(text), at: action.span)
        case .recover(let value):
            guard attempted.failure != nil else { return }
            let data = try value.value(in: scope)
            attempted.isRecovered = true
            attempted.scope.data = data
            attempted.failure = nil
            takeOutputs()
        }
    }

    /// Takes the outputs from the data that a failure was recovered with; those that are not in it stay as they were.
    private func takeOutputs() {
        for output in request.plan.outputs {
            guard var value = try? output.value.value(in: attempted.scope.scope(output.level)) else { continue }
            value.isSecret = value.isSecret || output.isSecret
            do throws(EvaluationProblem) {
                if value.isSecret { try run.redactor.register(secretsIn: value.json, at: output.value.span) }
            } catch {
                attempted.failure = run.failure(error)
                return
            }
            attempted.outputs[output.name.value] = value
        }
    }
}
