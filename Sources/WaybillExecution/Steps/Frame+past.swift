import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// What a resumed run takes over from before.
extension Frame {
    /// What came of a step before the run was resumed, if it had ended well and is to be taken as it is.
    func past(_ step: StepPlan) -> NodeRun? {
        guard let past = run.past?.step(at: path(of: step)) else { return nil }
        if let id = step.id { steps.keep(StepRecord(kept: past.record), of: id) }
        return NodeRun(end: .passed, steps: [past.result], failure: past.result.failure, use: past.use)
    }

    /// The failure of a request that may have been sent before the run was resumed, and must not be sent twice.
    func unsureFailure(of request: RequestPlan, at path: String) -> Failure? {
        // A session is fetched again, whatever became of it before.
        guard !isForSession, let past = run.past, past.isUnsure(path), !run.repeatsUnsure,
            !request.isIdempotent()
        else { return nil }
        let message =
            "the \(request.constantMethod ?? "request") may have been sent before the run ended, and no response is recorded; "
            + "--repeat-unsure sends it again"
        return Failure(.transfer, run.redactor.text(message), at: request.address.text.span)
    }
}

extension RequestPlan {
    /// Whether the request can be sent twice with the same effect as once (RFC 9110, section 9.2.2). A method that is
    /// computed and not known yet counts as one that cannot.
    func isIdempotent(sentAs method: String? = nil) -> Bool {
        (method ?? constantMethod).map(HTTPRequest.isIdempotent) ?? false
    }
}
