import Synchronization
import WaybillData
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults

/// The sessions of a run, by service: each is fetched when it is first needed, once for all who wait for it.
final class SessionStore: Sendable {
    private typealias Fetch = Task<Result<Session, EvaluationProblem>, Never>

    private struct Entry {
        var session: Session?
        /// What all wait for, and how many do.
        var fetch: Fetch?
        var waiting = 0
        var generation = 0
    }

    private enum Source {
        case known(Session)
        case fetch(Fetch)
    }

    private let plans: [String: SessionPlan]
    private let entries = Mutex<[String: Entry]>([:])

    /// No session has been fetched yet.
    init(_ plans: [String: SessionPlan]) {
        self.plans = plans
    }

    /// The service whose session is meant where no service is said: the only one that has one.
    var onlyService: String? { plans.count == 1 ? plans.keys.first : nil }

    /// The session of a service, which is fetched if need be.
    ///
    /// - Throws: why it cannot be had; whoever asks next tries again.
    func session(of service: String, for frame: Frame) async throws(EvaluationProblem) -> Session {
        guard let plan = plans[service] else { preconditionFailure("the rules let a service without a session pass") }
        let source = entries.withLock { entries -> Source in
            var entry = entries[service] ?? Entry()
            defer { entries[service] = entry }
            if let session = entry.session { return .known(session) }
            entry.waiting += 1
            if let fetch = entry.fetch { return .fetch(fetch) }
            entry.generation += 1
            let generation = entry.generation
            let fetch = Fetch { await self.fetch(plan, of: service, generation, for: frame) }
            entry.fetch = fetch
            return .fetch(fetch)
        }
        switch source {
        case .known(let session): return session
        case .fetch(let fetch):
            // The fetch ends before its time only when nobody waits for it any more.
            let result = await withTaskCancellationHandler {
                await fetch.value
            } onCancel: {
                let isLast = entries.withLock { entries in
                    entries[service]?.waiting -= 1
                    return entries[service]?.waiting == 0
                }
                if isLast { fetch.cancel() }
            }
            return try result.get()
        }
    }

    /// Whether an answer with this status says that the session is not good any more.
    func mustRenew(_ session: Session, on status: Int) -> Bool {
        plans[session.service]?.renewOn.contains { $0.matches(status) } ?? false
    }

    /// Fetches another session in the place of one that was refused, unless somebody has done so meanwhile.
    func renew(_ session: Session, for frame: Frame) async throws(EvaluationProblem) {
        let isFirst = entries.withLock { entries in
            guard let entry = entries[session.service], entry.session?.generation == session.generation else {
                return false
            }
            entries[session.service]?.session = nil
            return true
        }
        _ = try await self.session(of: session.service, for: frame)
        if isFirst { frame.run.events.emit(.sessionRenewed(service: session.service)) }
    }

    private func fetch(
        _ plan: SessionPlan,
        of service: String,
        _ generation: Int,
        for frame: Frame
    ) async -> Result<Session, EvaluationProblem> {
        let step = StepPlan(fetching: plan, of: service)
        let outcome = await RequestRun(step, plan.request, at: step.path, in: frame.forSession).run()
        let result: Result<Session, EvaluationProblem>
        if outcome.end == .passed {
            let session = Session(service: service, outputs: outcome.record.outputs, generation: generation)
            result = .success(session)
        } else {
            let failure = outcome.result.failure
            let reason = failure?.message.string ?? "it was stopped"
            result = .failure(
                EvaluationProblem(
                    message: "the session of service '\(service)' cannot be had: \(reason)",
                    span: failure?.span ?? plan.request.address.text.span,
                    kind: failure?.kind ?? .cancelled
                )
            )
        }
        entries.withLock { entries in
            entries[service]?.session = try? result.get()
            entries[service]?.fetch = nil
            entries[service]?.waiting = 0
        }
        return result
    }
}
