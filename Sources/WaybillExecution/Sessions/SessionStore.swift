import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults

/// The sessions of a run, by service: each is fetched when it is first needed, once for all requests that wait for it.
final class SessionStore: Sendable {
    private let plans: [String: SessionPlan]
    private let outputs = SharedValues<String, [String: ScopeValue]>()

    /// No session has been fetched yet.
    init(_ plans: [String: SessionPlan]) {
        self.plans = plans
    }

    /// The service whose session is used if no service is named: the only one that has a session.
    var onlyService: String? { plans.count == 1 ? plans.keys.first : nil }

    /// Whether a service has a session. A call may name another service than the one whose session its endpoint uses.
    func hasSession(of service: String) -> Bool { plans[service] != nil }

    /// Returns the session of a service that has one, and fetches it if necessary.
    ///
    /// - Throws: If it could not be fetched. The next call tries again.
    func session(of service: String, for context: StepContext) async throws(EvaluationFailure) -> Session {
        guard let plan = plans[service] else { preconditionFailure("the service '\(service)' has no session") }
        let fetched = await outputs.value(of: service) { _ in await Self.fetch(plan, of: service, for: context) }
        guard let fetched else {
            throw Self.problem(
                "the request was cancelled",
                kind: .cancelled,
                service,
                at: plan.request.address.text.span
            )
        }
        return Session(service: service, held: try fetched.get())
    }

    /// Whether a response with this status means that the session is no longer valid.
    func mustRenew(_ session: Session, on status: Int) -> Bool {
        plans[session.service]?.renewOn.contains { $0.matches(status) } ?? false
    }

    /// Fetches a new session instead of one that was refused, unless that has happened in the meantime.
    func renew(_ session: Session, for context: StepContext) async throws(EvaluationFailure) {
        let isFirst = outputs.refuse(session.held, of: session.service)
        _ = try await self.session(of: session.service, for: context)
        if isFirst { context.run.events.emit(.sessionRenewed(service: session.service)) }
    }

    private static func fetch(
        _ plan: SessionPlan,
        of service: String,
        for context: StepContext
    ) async -> Result<[String: ScopeValue], EvaluationFailure> {
        let step = StepPlan(fetching: plan, of: service)
        let request = RequestStep(step: step, work: plan.request)
        let (outcome, record) = await StepLayers.work.send(request, in: context.session(step))
        if outcome.end == .passed { return .success(record.outputs) }
        let failure = outcome.failure
        // Only the location of the failure itself is passed on.
        let differences = failure?.kind == .contract ? failure?.details ?? [] : []
        let reasons = differences.map { "\($0.message)" + ($0.span.map { " (declared at \($0))" } ?? "") }
        return .failure(
            problem(
                reasons.isEmpty
                    ? failure?.message.string ?? "the request was cancelled" : reasons.joined(separator: "; "),
                kind: failure?.kind ?? .cancelled,
                code: failure?.serverCode?.value,
                service,
                at: failure?.span ?? plan.request.address.text.span
            )
        )
    }

    private static func problem(
        _ reason: String,
        kind: FailureKind,
        code: JSON? = nil,
        _ service: String,
        at span: SourceSpan
    ) -> EvaluationFailure {
        EvaluationFailure(
            message: "could not fetch the session of service '\(service)': \(reason)",
            span: span,
            kind: kind,
            code: code
        )
    }
}

/// What the requests of a service share: the outputs of the request that `session` names.
struct Session: Sendable {
    let service: String
    /// The fetched values.
    let held: SharedValues<String, [String: ScopeValue]>.Held

    var outputs: [String: ScopeValue] { held.value }
}
