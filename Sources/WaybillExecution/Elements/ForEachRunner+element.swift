import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillManifest
import WaybillPlan
import WaybillResults

/// The outcome of one element of a `forEach`.
struct ElementOutcome: Sendable {
    var index: Int
    var end: NodeOutcome.End
    var failure: Failure?
    /// How many requests the step sent for the element.
    var attempts = 0
    /// What reports show of the element: its name, and if it failed also the rest.
    var subject = ElementSubject()
    var record: ElementRecord?
    /// What a resumed run does with it.
    var use = RunEvent.KeptRecord.Use.taken
    /// What the journal records of it.
    var kept: RunEvent.KeptRecord?
    /// When its first request was due to be sent.
    var startedAt: Timestamp?
}

extension ForEachRunner {
    /// Executes an element in a task that can be cancelled without the others.
    func executeAlone(_ index: Int, of source: ElementSource) async -> ElementOutcome {
        let path = "\(path)[\(index)]"
        var (element, wasCancelled) = await run.control.run(.step(path: path, endpoint: step.endpoint)) {
            await execute(index, of: source, at: path)
        }
        if wasCancelled { element.end = element.end.cancelledByItself }
        return element
    }

    private func execute(_ index: Int, of source: ElementSource, at path: String) async -> ElementOutcome {
        let element: ScopeValue
        do {
            element = try source.element(index)
        } catch {
            return ElementOutcome(index: index, end: .failed, failure: run.failure(error))
        }
        var context = context.element(path, of: step, forEach.variable.value, element)
        context.output = file?.of(index)
        let name: RedactedText?
        do throws(EvaluationFailure) {
            name = try await forEach.name(in: context)
        } catch {
            return ElementOutcome(index: index, end: .failed, failure: run.failure(error))
        }
        let start = run.activeTime
        let node = await inner.execute(step, in: context)
        var result = ElementOutcome(index: index, end: node.end, failure: node.failure)
        result.subject = ElementSubject(name: name)
        if name != nil || node.failure != nil {
            result.subject.time = node.steps.first?.time?.total ?? run.activeTime - start
        }
        if node.failure != nil {
            let value = element.isSecret ? nil : run.redactor.start(of: element.json, ElementSubject.maximumCharacters)
            (result.subject.value, result.subject.url) = (value, node.failedURL)
        }
        // The steps of a chain or batch inside the element are reported themselves.
        if case .request = step.work { result.attempts = node.steps.reduce(0) { $0 + $1.attempts } }
        var record = StepRecord(isPassed: node.end == .passed)
        if step.keeps.contains(.items) {
            record = step.id.flatMap { context.steps.record(of: $0) } ?? record
            result.record = ElementRecord(item: element, record: record)
        }
        result.startedAt = node.steps.first?.startedAt
        result.use = node.use
        result.kept = record.kept(
            node.use,
            redactor: run.redactor,
            element: element.isSecret ? nil : element.digest,
            cookies: node.cookies
        )
        return result
    }

    /// Finishes an element, one at a time, so that the journal lists the parts of a file in their order.
    func finish(_ element: ElementOutcome) -> ElementOutcome {
        var element = element
        var records: RecordedOutput?
        do throws(Failure) {
            records = try file?.end(element.index, fileEnd(of: element))
        } catch {
            if element.end == .passed { (element.end, element.failure) = (.failed, error) }
            if !step.isIdempotent {
                element.use = .unsure
                element.kept?.use = .unsure
            }
        }
        let end = RunEvent.ElementEnd(
            index: element.index,
            outcome: outcome(of: element),
            failure: element.failure,
            subject: element.subject,
            records: records,
            kept: element.kept,
            startedAt: element.startedAt
        )
        run.events.emit(.elementFinished(end), step: path, durably: !step.isIdempotent)
        return element
    }

    /// The outcome of an element for reports.
    func outcome(of element: ElementOutcome) -> StepOutcome {
        element.end == .failed && context.tolerates(step, element.failure) ? .tolerated : element.end.outcome
    }

    /// Whether the file can be completed after an element: a failure that is not tolerated must be repeated first.
    private func fileEnd(of element: ElementOutcome) -> RecordFileWriter.End {
        switch element.end {
        case .passed, .ended: .kept
        case .failed: context.tolerates(step, element.failure) ? .without : .missing
        case .skipped(.condition), .skipped(.ended), .skipped(.failure), .withdrawn: .without
        case .cancelled, .skipped(.interrupted), .refused: .missing
        }
    }
}

extension ForEach {
    /// The name of the element that is executed in a context; `nil` if elements have none.
    fileprivate func name(in context: StepContext) async throws(EvaluationFailure) -> RedactedText? {
        guard let name else { return nil }
        var scope = context.scope
        try await scope.provideSession(for: .scalar(name))
        return context.run.redactor.text(try name.shownText(in: scope.scope(.graph(context.graph))))
    }
}
