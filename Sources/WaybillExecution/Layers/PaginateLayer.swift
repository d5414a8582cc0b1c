import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// `paginate`: requests page after page. The items of all pages form one list; outputs and the returned value are
/// evaluated at the end, when `$` is that list.
struct PaginateLayer<Inner: Layer<RequestStep, AttemptOutcome>>: RepeatableLayer {
    let inner: Inner

    func execute(_ request: RequestStep, in context: StepContext) async -> AttemptOutcome {
        var context = context
        if request.step.flow?.until != nil {
            var progress = context.progress
            progress.polls = (progress.polls ?? 0) + 1
            context = context.after(progress)
        }
        guard let pagination = request.step.paginate else { return await inner.execute(request, in: context) }
        var pages = PageCollector(request, pagination, in: context)
        if !pages.continueEarlier() {
            do throws(Failure) {
                // The records of an earlier try are removed.
                try context.output?.removeRecords()
            } catch {
                return AttemptOutcome(in: context, failure: error)
            }
        }
        while true {
            await context.output?.room()
            context.page = pages.state.request
            context.pageNumber = pages.state.pages + 1
            var outcome = await inner.execute(request, in: context)
            context = context.after(outcome.progress)
            do throws(Failure) {
                if try pages.takePage(outcome) { continue }
            } catch {
                outcome.failure = error
            }
            // If the first response is an expected failure, such as a 404, it is not a page: its content is the data.
            if pages.state.pages == 0, outcome.failure == nil { return outcome }
            outcome.scope.data = pages.data
            outcome.progress.pages = pages.state.pages
            // With 'until', the rest is evaluated once, after the last try.
            guard request.step.flow?.until == nil, outcome.failure == nil else { return outcome }
            return await Attempt(request, in: context).concluded(outcome)
        }
    }

    func untilAttempt(_ outcome: AttemptOutcome, in context: StepContext) -> UntilAttempt? {
        // A failure of the transport is final. A failure of a response (its status, its content, a filter) counts only
        // for the last try. A file that was there before is final too: nothing was sent.
        guard outcome.failure == nil || outcome.isPending, outcome.wasSent else { return nil }
        return UntilAttempt(
            scope: outcome.scope.scope(.graph(context.graph)),
            retryAfter: outcome.response?.retryAfter(),
            next: context.again(after: outcome.progress)
        )
    }

    func discardFiles(of outcome: inout AttemptOutcome, _ request: RequestStep, in context: StepContext) async {
        await Attempt(request, in: context).discardDownload(&outcome)
    }

    func conclude(
        _ outcome: AttemptOutcome,
        _ end: UntilEnd,
        of request: RequestStep,
        in context: StepContext
    ) async -> AttemptOutcome {
        var outcome = outcome
        switch end {
        case .holds:
            if let pagination = request.step.paginate, outcome.failure == nil, outcome.scope.lacksBody {
                outcome.failure = Failure(
                    .output,
                    "the response has no body, so its pages are missing",
                    at: pagination.span
                )
            }
        case .failed(var failure):
            if let last = outcome.failure {
                failure.details = [
                    Failure.Detail(failure.message, at: failure.span), Failure.Detail(last.message, at: last.span),
                ]
            }
            outcome.failure = failure
        case .unknown(let failure): outcome.failure = outcome.failure ?? failure
        case .stopped:
            outcome.failure = .stopped(at: request.step.span)
            return outcome
        }
        return await Attempt(request, in: context).concluded(outcome)
    }
}

/// The items of the pages so far, and the state of the pagination.
private struct PageCollector {
    private let step: StepPlan
    private let pagination: Pagination
    private let context: StepContext
    private(set) var state: PaginationState
    private let keepsItems: Bool
    private var items: [JSON] = []
    /// The memory of the items.
    private var memory: RunMemory.Share?
    private var isSecret = false
    /// Whether a page so far was a list.
    private var hasLists = false
    /// Whether the secrets in the items so far can be redacted.
    private var areSecretsKnown = true
    private var run: RunContext { context.run }

    init(_ request: RequestStep, _ pagination: Pagination, in context: StepContext) {
        step = request.step
        self.pagination = pagination
        self.context = context
        state = PaginationState(pagination)
        keepsItems = step.needsItems
    }

    /// The items of all pages; empty if nothing uses them.
    var data: ScopeValue { ScopeValue(.array(items), isSecret: isSecret) }

    /// Continues after the pages of the earlier run; `false` if it must start with the first page.
    mutating func continueEarlier() -> Bool {
        // An element always starts with the first page, and so does each try of `until`.
        guard !context.isElement(step), step.flow?.until == nil, var earlier = context.earlier?.pages(of: context.path)
        else {
            return false
        }
        if let loss = context.output?.loss { earlier.goBack(to: loss.rest.count) }
        guard let next = earlier.next else { return false }
        if keepsItems {
            guard earlier.hasItems else { return false }
            items = earlier.keptItems
            // The earlier run had memory for them.
            try? context.keep(items, in: &memory, at: pagination.span)
        }
        state = PaginationState(pagination, after: earlier.count, next: next)
        hasLists = earlier.items != earlier.count
        return true
    }

    /// Adds the items of a page; returns whether another page follows.
    mutating func takePage(_ outcome: AttemptOutcome) throws(Failure) -> Bool {
        guard outcome.failure == nil, let response = outcome.response, response.status / 100 == 2 else { return false }
        // `next`, `from` and `while` control paging: they read the response as it was decoded, before filters.
        var scope = outcome.scope.scope(pagination.level)
        scope.current = outcome.body
        let found: ScopeValue
        let decision: PaginationState.Decision
        do throws(EvaluationFailure) {
            let isNull: Bool
            (found, isNull) = try foundItems(outcome)
            let page = PaginationState.Page(
                scope: scope,
                items: found.json.array?.count ?? 0,
                content: found.json,
                isNull: isNull,
                isList: pagination.items != nil || [.array, .null].contains(outcome.data?.json.kind ?? .null),
                url: outcome.responseURL ?? response.url,
                links: response.headers.values(named: "Link"),
                redactor: run.redactor
            )
            decision = try state.next(after: page)
            if decision == .finish, state.pages == 1, page.items > 0 { warnOfWrongPath(in: page, outcome.data) }
        } catch {
            throw run.failure(EvaluationFailure(message: error.message, span: error.span, kind: .output))
        }
        return try take(found, decision, of: outcome)
    }

    /// Warns if the first page is the last one because the path to the next page is misspelt, or matches only the data
    /// after filters.
    private func warnOfWrongPath(in page: PaginationState.Page, _ data: ScopeValue?) {
        var after = page.scope
        after.current = data
        if let (name, nearest, span) = state.misspeltMember(in: page) {
            let message =
                "there is no next page, because the response has no member '\(name)'; did you mean '\(nearest)'?"
            run.events.emit(.warning(run.redactor.text(message), at: SourceLocation(span)), step: context.path)
        } else if data != page.scope.current, let path = state.pathToNext, (try? path.value(in: page.scope)) == nil,
            let next = try? path.value(in: after), ![.null, .string("")].contains(next.json)
        {
            let message =
                "there is no next page, because the response before filters has nothing at '\(path.expression.text)'; "
                + "the data after filters does, but it does not control paging"
            run.events.emit(.warning(run.redactor.text(message), at: SourceLocation(path.span)), step: context.path)
        }
    }

    private mutating func take(
        _ found: ScopeValue,
        _ decision: PaginationState.Decision,
        of outcome: AttemptOutcome
    ) throws(Failure) -> Bool {
        let elements = found.json.array ?? []
        if keepsItems {
            try context.keep(elements, in: &memory, at: pagination.span)
            items += elements
            isSecret = isSecret || found.isSecret
            if case .request(let request) = step.work {
                var scope = outcome.scope
                scope.data = data
                areSecretsKnown = run.redactor.register(secretOutputsOf: request, in: scope)
            }
        }
        let isList = pagination.items != nil || outcome.data?.json.array != nil
        let hasContent = !outcome.scope.isWithoutContent && !outcome.scope.lacksBody
        let data = hasContent ? isList ? found : outcome.data ?? found : nil
        let records = try context.output?.append(data, isList: isList, in: outcome.scope)
        var next: JSON?
        switch decision {
        case .follow(let request): next = request.value
        case .fail(let message, let span): throw Failure(.transfer, run.redactor.text(message), at: span)
        case .finish: break
        }
        // The event of the element's end includes its last page.
        if next != nil || !context.isElement(step) {
            let end = RunEvent.PageEnd(
                number: state.pages,
                items: elements.count,
                nextPage: state.isSecret ? nil : next.flatMap(run.redactor.unchanged),
                records: records,
                kept: kept(elements, isSecret: found.isSecret),
                cookies: outcome.progress.redactedCookieDomains(run.redactor)
            )
            run.events.emit(.pageFinished(end), step: context.path)
        }
        return decision != .finish
    }

    /// The items of a page for the journal; `nil` if they are not needed, contain a secret, or may contain one that is
    /// found only after the last page.
    private func kept(_ items: [JSON], isSecret: Bool) -> RedactedJSON? {
        guard keepsItems, !isSecret, areSecretsKnown else { return nil }
        return run.redactor.unchanged(JSON.array(items).markingBytes)?.encoded
    }

    /// Whether a page that must exist has no content. After the last page, a server that counts pages or items may respond
    /// with 204. With 'until', the first page of a try that is not the last one may be missing.
    private func isMissing(_ outcome: AttemptOutcome) -> Bool {
        if outcome.scope.lacksBody { return state.pages > 0 || step.flow?.until == nil }
        guard state.pages > 0, outcome.data?.json ?? .null == .null, let response = outcome.response,
            response.body.isEmpty, outcome.method != "HEAD"
        else { return false }
        return switch pagination.style {
        case .next, .link, .cursor: true
        case .page, .offset: response.status != 204
        }
    }

    /// Returns the items of a page as a list: what `items` selects from the data after filters, or that data. Null counts
    /// as an empty list after the first page, unless it is the whole body. Without `items`, data that is not a list counts as one item.
    ///
    /// - Returns: The items, and whether the response has null in their place.
    private mutating func foundItems(_ outcome: AttemptOutcome) throws(EvaluationFailure) -> (ScopeValue, isNull: Bool)
    {
        var value = outcome.data ?? ScopeValue(.null)
        let hasBody = outcome.response?.body.isEmpty == false && outcome.method != "HEAD"
        let isNullBody = hasBody && outcome.body?.json == .null
        // A first page without data, such as a 204, has no items.
        if let expression = pagination.items, value.json != .null || isNullBody {
            value = try expression.outputValue(in: outcome.scope.scope(pagination.level))
        }
        if isMissing(outcome) || isNullBody && value.json == .null {
            let words = isNullBody ? "is null" : "has no body"
            throw EvaluationFailure(
                message: "the response \(words), so page \(state.pages + 1) and those after it are missing",
                span: pagination.span
            )
        }
        let isNull = hasBody && value.json == .null
        if isNull, state.pages == 0 {
            throw EvaluationFailure(
                message: "page 1 has null in place of its items; the filter 'default: []' makes it an empty list",
                span: pagination.items?.span ?? pagination.span,
                kind: .output
            )
        }
        switch value.json {
        case .array: hasLists = true
        case .null: value.json = .array([])
        case .string where hasLists && pagination.items == nil:
            throw EvaluationFailure(
                message: "page \(state.pages + 1) is a string, but a page before it is a list",
                span: pagination.span
            )
        case let other:
            if let expression = pagination.items {
                throw EvaluationFailure(
                    message: "the value of 'items' is \(other.kind.phrase), not a list",
                    span: expression.span,
                    kind: .output
                )
            }
            value.json = .array([other])
        }
        return (value, isNull)
    }
}

extension ManifestExpression {
    /// Whether the expression uses `$`.
    fileprivate var usesData: Bool { references.contains { $0.root == .document } }
}

extension StepPlan {
    /// Whether anything uses the list of all items after the last page.
    var needsItems: Bool {
        guard case .request(let request) = work else { return false }
        if request.settings.stream != nil, request.readsBody { return true }
        return !keeps.isDisjoint(with: [.data, .itemData]) || request.returns != nil
            || request.outputs.contains(where: \.value.usesData) || flow?.until != nil
            || !request.settings.intercept.isEmpty
    }
}
