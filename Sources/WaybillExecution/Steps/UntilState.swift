import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillManifest
import WaybillResults

/// Decides after each try of a step with `until` whether there is another one, and when.
struct UntilState: Sendable {
    /// What follows a try.
    enum Decision: Sendable {
        /// The condition holds.
        case done
        /// Another try after a while.
        case again(after: Duration)
        /// It has failed, for this reason.
        case failed(message: String, FailureKind, at: SourceSpan)
    }

    /// The time between two tries where nothing is said.
    private static let usualPause = Duration.seconds(1)

    private let until: Until
    private var tries = 0

    /// The state before the first try.
    init(_ until: Until) {
        self.until = until
    }

    /// What follows a try whose answer the expressions see. Both `times` and `within` are upper limits; the pause is what
    /// the answer's `Retry-After` says where it says something.
    mutating func next(
        in scope: EvaluationScope,
        elapsed: Duration,
        retryAfter: Duration?
    ) throws(EvaluationProblem) -> Decision {
        tries += 1
        do throws(EvaluationProblem) {
            if try until.that.holds(in: scope) { return .done }
        } catch {
            // A response of another shape, as of an error, may be what 'fail' is for.
            if let failed = try? failed(in: scope) { return failed }
            throw error
        }
        if let failed = try failed(in: scope) { return failed }
        let wish = until.that.complaint(in: scope)
        if let times = until.times, tries >= times {
            let count = times == 1 ? "1 try" : "\(times) tries"
            return .failed(message: "after \(count) \(wish)", .timeout, at: until.that.span)
        }
        var pause = retryAfter ?? Self.usualPause
        if retryAfter == nil, let every = until.every { pause = try every.duration(in: scope) }
        if let within = until.within, case let limit = try within.duration(in: scope), elapsed + pause > limit {
            return .failed(message: "within \(limit.words) \(wish)", .timeout, at: until.that.span)
        }
        return .again(after: pause)
    }

    /// The failure, where the condition of `fail` holds.
    private func failed(in scope: EvaluationScope) throws(EvaluationProblem) -> Decision? {
        guard let fail = until.fail, try fail.when.holds(in: scope) else { return nil }
        let words = try fail.message?.text(in: scope).text ?? "'\(fail.when.expression.text)' holds"
        return .failed(message: words, .expect, at: fail.when.span)
    }
}
