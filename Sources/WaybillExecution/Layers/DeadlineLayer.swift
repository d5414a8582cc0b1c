import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults

/// `deadline`: limits the time of a step with its condition, its delay, and all its elements and tries.
struct DeadlineLayer<Inner: Layer<StepPlan, NodeOutcome>>: Layer {
    let inner: Inner

    func execute(_ step: StepPlan, in context: StepContext) async -> NodeOutcome {
        guard let deadline = step.deadline else { return await inner.execute(step, in: context) }
        // The deadline of a step that is skipped may use results that do not exist.
        if deadline.value.constant == nil, let condition = step.flow?.when,
            (try? await context.holds(condition)) == false
        {
            return await inner.execute(step, in: context)
        }
        return await context.limited(by: deadline, in: context.scope.scope(deadline.level)) { failure in
            context.failed(step, failure)
        } _: { context in
            await inner.execute(step, in: context)
        }
    }
}

extension StepPlan {
    /// The maximum time of the step: that of the step itself, or for a request that of its settings.
    var deadline: Setting<DurationTemplate>? {
        if let own = flow?.deadline { return own }
        guard case .request(let request) = work else { return nil }
        return request.settings.deadline
    }
}

extension StepContext {
    /// Executes a step or graph, and cancels it when its deadline has passed. Returns after it has ended in either
    /// case.
    ///
    /// - Parameters:
    ///   - scope: The scope in which the deadline is evaluated.
    ///   - report: Reports a failure that no step inside has reported.
    func limited(
        by setting: Setting<DurationTemplate>,
        in scope: EvaluationScope,
        report: (Failure) -> NodeOutcome,
        _ body: @escaping @Sendable (StepContext) async -> NodeOutcome
    ) async -> NodeOutcome {
        let limit: Duration
        do throws(EvaluationFailure) {
            limit = try setting.value.duration(in: scope)
        } catch {
            return report(run.failure(error))
        }
        let failure = Failure(
            .timeout,
            run.redactor.text("the deadline of \(limit.words) has passed"),
            at: setting.span
        )
        let deadline = Deadline(inside: deadline, failure: failure, end: run.clock.now + limit, on: run.clock)
        let context = within(deadline)
        var outcome = await run.clock.cancelling(after: limit) {
            await WorkLimit.limited({ deadline.passed != nil }) { await body(context) }
        }
        guard deadline.hasPassed, outcome.end == .cancelled else { return outcome }
        // Requests that were in flight have failed with this failure. If there were none, nothing else reports it.
        if !outcome.steps.contains(where: { $0.failure == failure }) {
            let own = report(failure)
            let inside = outcome.steps.filter { result in !own.steps.contains { $0.path == result.path } }
            return NodeOutcome(end: .failed, steps: inside + own.steps, failure: failure, use: outcome.use)
        }
        outcome.end = .failed
        outcome.failure = outcome.failure ?? failure
        return outcome
    }
}

/// A time limit of a step or graph, from which the steps inside learn why they were cancelled.
final class Deadline: Sendable {
    private let outer: Deadline?
    private let failure: Failure
    private let end: Duration
    private let clock: any RunClock

    /// A limit inside another one, the failure to report when it has passed, and the time on a clock when that is.
    init(inside outer: Deadline?, failure: Failure, end: Duration, on clock: any RunClock) {
        self.outer = outer
        self.failure = failure
        self.end = end
        self.clock = clock
    }

    /// The failure of the limit that has passed; if several have passed, that of the outermost one.
    var passed: Failure? { outer?.passed ?? (hasPassed ? failure : nil) }

    /// Whether this limit itself has passed.
    var hasPassed: Bool { clock.now >= end }
}

extension RunClock {
    /// Executes an operation and cancels it after some time.
    func cancelling<Value: Sendable>(
        after duration: Duration,
        _ body: @escaping @Sendable () async -> Value
    ) async -> Value {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await body() }
            group.addTask {
                // It throws if the operation had finished before, or its caller was cancelled.
                try? await sleep(for: duration)
                return nil
            }
            var value: Value?
            while let next = await group.next() {
                value = value ?? next
                group.cancelAll()
            }
            guard let value else { preconditionFailure("the operation with a deadline returned no value") }
            return value
        }
    }
}
