import Synchronization
import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// One request of a step, from its first attempt to its result.
extension WorkLayer {
    /// Sends a request through the layers inside, and reports its result; returns the record for later expressions too.
    func send(_ request: RequestStep, in context: StepContext) async -> (node: NodeOutcome, record: StepRecord) {
        switch request.plan.settings.duplicates?.value.mode {
        case .cancelPrevious, .discard:
            let claim = context.run.duplicates.claim()
            var context = context
            context.claim = claim
            return await claim.run { [context] in
                report(await outcome(of: request, in: context), of: request, in: context)
            }
        case .allow, .share, nil:
            return report(await outcome(of: request, in: context), of: request, in: context)
        }
    }

    private func outcome(of request: RequestStep, in context: StepContext) async -> AttemptOutcome {
        let (run, step, output) = (context.run, request.step, context.output)
        var outcome: AttemptOutcome
        if let failure = context.unsureFailure(of: request.plan) {
            // A file that many elements share is written without its records.
            run.unrepeated.withLock { $0[context.path] = output == nil || !context.isElement(step) }
            outcome = AttemptOutcome(in: context, failure: failure)
            outcome.progress.startedAt = .now()
            outcome.wasSent = true
        } else {
            let start = run.activeTime
            outcome = await self.request.execute(request, in: context)
            // The time of a single attempt is that of the transfer, without the wait for a permit.
            if outcome.progress.attempts > 1 { outcome.progress.time?.total = run.activeTime - start }
        }
        if outcome.failure?.kind == .cancelled, let claim = context.claim, claim.isSuperseded {
            outcome.failure = RequestSender(request, in: context).superseded
            outcome.duplicate = .cancelled
        }
        guard outcome.progress.startedAt != nil else { return outcome }
        let hadFailed = outcome.failure != nil
        await Interceptor(request: request, context: context).intercept(&outcome) { outcome in
            await Attempt(request, in: context).concludeDownload(&outcome)
            if outcome.failure != nil || outcome.recovery != nil { outcome.snapshot = nil }
            outcome.failure = outcome.failure ?? keep(&outcome, of: step, in: context)
            outcome.failure = outcome.failure ?? write(outcome, of: request, to: output)
        }
        // Includes failures after the attempt: of pagination, an interceptor, or the records.
        if let kind = outcome.failure?.kind, kind != .cancelled, outcome.duplicate == nil {
            outcome = await Attempt(request, in: context).keepingBody(outcome)
        }
        // The records of its pages or events may contain the hidden secrets.
        if let failure = outcome.failure, let output,
            failure.kind == .output && outcome.hidden.contains(.body)
                || outcome.scope.context.stream?.hidesSecrets ?? false
        {
            try? output.removeRecords()
        }
        if let output, !context.isElement(step) {
            outcome = await output.finished(outcome, isTolerated: context.tolerates(step)) { outcome in
                let end = end(of: outcome, request, in: context)
                return (end.node.steps[0], end.kept)
            }
        }
        // Only now is it known that the step has passed.
        if let snapshot = outcome.snapshot, outcome.failure == nil, context.deadline?.passed == nil {
            outcome.failure = await context.write(snapshot, endpoint: request.plan.endpoint)
        }
        outcome.isUnwritten = output != nil && !hadFailed && outcome.failure?.kind == .output
        return outcome
    }

    /// Counts what later steps use of a success; returns the failure if the run keeps too much.
    private func keep(_ outcome: inout AttemptOutcome, of step: StepPlan, in context: StepContext) -> Failure? {
        let isElement = context.isElement(step)
        var values: [JSON] = []
        if step.keeps.contains(isElement ? .itemOutputs : .outputs) { values = outcome.outputs.values.map(\.json) }
        if step.keeps.contains(isElement ? .itemData : .data), let data = outcome.data { values.append(data.json) }
        do throws(Failure) {
            try context.keep(values, in: &outcome.kept, at: step.span)
            return nil
        } catch {
            return error
        }
    }

    /// Writes the records of a success; returns why they could not be written. An expected failure, such as a 404, has
    /// no records.
    private func write(_ outcome: AttemptOutcome, of request: RequestStep, to output: StepFile?) -> Failure? {
        let (step, status) = (request.step, outcome.response?.status ?? 0)
        let isPlain = step.paginate == nil && outcome.scope.context.stream == nil && status / 100 == 2
        if output != nil, outcome.recovery == nil, outcome.response != nil, status / 100 != 2 {
            Attempt(request, in: outcome.scope.context).warn(
                "'write' writes only responses with status 2xx, so a response with status \(status) was not written"
            )
        }
        // The records of the pages before a recovered one have been written.
        guard let output, let data = outcome.recovery ?? (isPlain ? outcome.data : nil) else { return nil }
        let isWithoutContent = outcome.recovery == nil && outcome.scope.isWithoutContent
        if outcome.recovery == nil, outcome.scope.lacksBody {
            return Failure(.output, "the response has no body, so nothing was written", at: step.span)
        }
        do throws(Failure) {
            try output.append(isWithoutContent ? nil : data, isList: step.paginate != nil, in: outcome.scope)
            return nil
        } catch {
            return error
        }
    }

    /// Reports the end of the request; that of an element is reported with the element.
    private func report(
        _ attempt: AttemptOutcome,
        of request: RequestStep,
        in context: StepContext
    ) -> (node: NodeOutcome, record: StepRecord) {
        let (run, step, path) = (context.run, request.step, context.path)
        let isElement = context.isElement(step)
        // Its deadline may have passed while it waited for a permit.
        let isLate =
            !isElement && attempt.failure?.kind == .cancelled && step.deadline != nil && context.deadline?.passed != nil
        guard attempt.progress.startedAt != nil || isLate else {
            var result = StepResult(step, at: path, graph: context.graph, outcome: .skipped)
            result.add(attempt.progress)
            if !isElement { run.events.emit(.stepSkipped(.interrupted), step: path) }
            return (
                NodeOutcome(end: .skipped(.interrupted), steps: [result]), StepRecord(skipped: .interrupted)
            )
        }
        let end = end(of: attempt, request, in: context)
        if !isElement {
            // Encoding the record may have taken longer than the step has.
            if attempt.failure == nil, attempt.written == nil, attempt.downloaded == nil,
                let passed = context.deadline?.passed
            {
                var late = attempt
                late.failure = passed
                return report(late, of: request, in: context)
            }
            run.events.emit(.stepFinished(end.node.steps[0], kept: end.kept), step: path)
        }
        return (end.node, end.record)
    }

    /// Returns the end of a request that was sent, as it is reported; the record for later expressions; and what the journal
    /// keeps of it, which that of an element computes itself.
    private func end(
        of attempt: AttemptOutcome,
        _ request: RequestStep,
        in context: StepContext
    ) -> (node: NodeOutcome, record: StepRecord, kept: RunEvent.KeptRecord) {
        let (run, step) = (context.run, request.step)
        let isElement = context.isElement(step)
        var result = StepResult(step, at: context.path, graph: context.graph, outcome: .passed)
        result.add(attempt.progress)
        var end = NodeOutcome.End.passed
        var record = StepRecord(isPassed: true)
        if var failure = attempt.failure {
            if failure.kind == .cancelled, let passed = context.deadline?.passed { failure = passed }
            result.failure = failure.worded(by: request.plan.settings.messages, redactor: run.redactor)
            end = attempt.duplicate.map { .withdrawn($0) } ?? (failure.kind == .cancelled ? .cancelled : .failed)
            result.outcome =
                attempt.duplicate
                ?? (end == .cancelled ? .cancelled : context.tolerates(step, failure) ? .tolerated : .failed)
            record = StepRecord(isPassed: false, error: result.failure.inExpressions)
        }
        if step.keeps.contains(isElement ? .itemOutputs : .outputs) { record.outputs = attempt.outputs }
        // A response that was not decoded has no data.
        if step.keeps.contains(isElement ? .itemData : .data), attempt.failure == nil || attempt.body != nil {
            record.data = attempt.data
            // The mark would be lost when the run is resumed.
            record.data?.content = nil
        }
        if step.keeps.contains(isElement ? .itemStatus : .response) {
            record.response = attempt.response?.withoutBody(isElement: isElement)
        }
        record.memory = attempt.kept
        if step.keeps.contains(.written) { record.written = attempt.written }
        if step.keeps.contains(.downloaded) { record.downloaded = attempt.downloaded }
        var outcome = NodeOutcome(end: end, steps: [result], failure: result.failure)
        // If its evaluation was cancelled, the request has neither passed nor failed.
        let isRecorded =
            attempt.response != nil && !attempt.isUnwritten && attempt.failure?.kind != .cancelled
        if attempt.wasSent, !isRecorded, !request.plan.isIdempotent(sentAs: attempt.method) {
            outcome.use = .unsure
        }
        outcome.cookies = attempt.progress.redactedCookieDomains(run.redactor)
        let kept =
            isElement
            ? RunEvent.KeptRecord(outcome.use)
            : record.kept(outcome.use, redactor: run.redactor, cookies: outcome.cookies)
        return (outcome, record, kept)
    }
}

extension HTTPResponse {
    /// The response without its body. An element's response is kept without header fields too, because only its status
    /// can be used.
    fileprivate func withoutBody(isElement: Bool) -> HTTPResponse {
        var response = self
        response.body = []
        response.memory = nil
        if isElement { response.headers = HTTPFields([]) }
        return response
    }
}
