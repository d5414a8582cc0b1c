import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// What a resumed run keeps from the earlier run.
extension StepContext {
    /// The steps of the earlier run; `nil` in a further try of a step that contains this one, which executes it again.
    var earlier: EarlierSteps? { isRepetition ? nil : run.earlier }

    /// The outcome of a step in the earlier run, if it passed and is not repeated. Moves its files to their paths if the run
    /// ended meanwhile.
    func earlierOutcome(of step: StepPlan) async -> NodeOutcome? {
        guard let earlier = earlier?.step(at: path) else { return nil }
        if let commit = self.earlier?.pendingCommit(of: path), let result = commit.result {
            guard mayStart else { return nil }
            do throws(Failure) {
                try await StepFile.complete(commit, of: step, in: self)
            } catch {
                return failed(step, error)
            }
            run.events.emit(.stepFinished(result, kept: commit.kept), step: path)
        }
        var record = earlier.record.map { StepRecord(kept: $0.value) } ?? StepRecord(isPassed: true)
        // The earlier run had memory for it.
        try? keep(record.values, in: &record.memory, at: step.span)
        keep(record, of: step)
        // The failure is tolerated by the step itself, or by one around it: there, it decides what is skipped.
        let hasFailed = earlier.result.outcome == .tolerated && step.onFailure != .continue
        return NodeOutcome(
            end: hasFailed ? .failed : .passed,
            steps: [earlier.result],
            failure: earlier.result.failure,
            use: earlier.use
        )
    }

    /// The failure of a request that the earlier run may have sent, and that must not be sent twice.
    func unsureFailure(of request: RequestPlan) -> Failure? {
        // A session is always requested again.
        guard !isForSession, let earlier, earlier.isUnsure(path), !run.executor.repeatsUnsure,
            !request.isIdempotent()
        else { return nil }
        let message =
            "the \(request.constantMethod ?? "request") may have been sent before the run ended, and its response is not recorded; "
            + "\(run.executor.audience.repeatsUnsure) sends it again"
        return Failure(.transfer, run.redactor.text(message), at: request.address.text.span)
    }
}

extension RequestPlan {
    /// Whether the request can be sent twice with the same effect as once (RFC 9110, section 9.2.2). A computed method
    /// that is not known yet counts as not idempotent.
    func isIdempotent(sentAs method: String? = nil) -> Bool {
        (method ?? constantMethod).map(HTTPRequest.isIdempotent) ?? false
    }
}
