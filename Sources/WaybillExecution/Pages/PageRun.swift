import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// A request that asks for page after page. The items of all pages are one stream; outputs, and what is returned, are
/// taken at the end, when `$` is the list of all items.
struct PageRun {
    private let request: RequestRun
    private let pagination: Pagination
    private var state: PaginationState
    private let keepsItems: Bool
    private var items: [JSON] = []
    private var isSecret = false
    private var run: RunContext { request.run }

    init(_ request: RequestRun, _ pagination: Pagination) {
        self.request = request
        self.pagination = pagination
        state = PaginationState(pagination)
        keepsItems = request.needsItems
    }

    /// Asks for all pages.
    mutating func run(_ result: inout StepResult) async -> Attempted {
        if !takeUp() {
            do throws(Failure) {
                // Nothing is left of an earlier try.
                try request.output?.takeBack()
            } catch {
                return Attempted(scope: request.frame.scope(of: request.path), failure: error)
            }
        }
        var attempted = await askForPage(&result)
        while takePage(attempted) { attempted = await askForPage(&result) }
        // An expected failure at once, such as a 404, is no page, and what it says is the data.
        if state.pages == 0, attempted.failure == nil { return attempted }
        await conclude(attempted, result)
        return attempted
    }

    private func askForPage(_ result: inout StepResult) async -> Attempted {
        await request.output?.room()
        return await request.retried(&result, page: state.request)
    }

    /// Goes on behind the pages that had come before the run was resumed; `false` when it begins with the first.
    private mutating func takeUp() -> Bool {
        // An element begins anew, and so does another try of `until`.
        guard !request.frame.isElement(request.step), request.step.flow?.until == nil,
            var past = run.past?.pages(of: request.path)
        else { return false }
        if let loss = request.output?.file.loss { past.goBack(to: loss.rest.count) }
        guard let next = past.next else { return false }
        if keepsItems {
            guard let kept = past.kept else { return false }
            items = kept.map(JSON.init(markingBytes:))
        }
        state = PaginationState(pagination, behind: past.count, next: next)
        return true
    }

    /// Takes what is in a page; whether another one follows.
    private mutating func takePage(_ attempted: Attempted) -> Bool {
        guard attempted.failure == nil, let response = attempted.response, response.status / 100 == 2 else {
            return false
        }
        do throws(Failure) {
            // `next`, `from` and `while` control paging: they read the response as it was decoded, before filters.
            var scope = attempted.scope.scope(.graph(request.frame.graph))
            scope.current = attempted.body
            let found: ScopeValue
            let decision: PaginationState.Decision
            do throws(EvaluationProblem) {
                found = try foundItems(attempted)
                let page = PaginationState.Page(
                    scope: scope,
                    items: found.json.array?.count ?? 0,
                    url: attempted.answeredURL ?? response.url,
                    links: response.headers.values(named: "Link")
                )
                decision = try state.next(after: page)
            } catch {
                throw run.failure(EvaluationProblem(message: error.message, span: error.span, kind: .output))
            }
            return try take(found, decision, of: attempted)
        } catch {
            attempted.failure = error
            return false
        }
    }

    private mutating func take(
        _ found: ScopeValue,
        _ decision: PaginationState.Decision,
        of attempted: Attempted
    ) throws(Failure) -> Bool {
        let elements = found.json.array ?? []
        if keepsItems {
            items += elements
            isSecret = isSecret || found.isSecret
        }
        let isList = pagination.items != nil || attempted.data?.json.array != nil
        let data = isList ? found : attempted.data ?? found
        let records = try request.output?.append(data, isList: isList, in: attempted.scope)
        var next: JSON?
        switch decision {
        case .follow(let request): next = request.value
        case .fail(let message, let span): throw Failure(.transfer, run.redactor.text(message), at: span)
        case .finish: break
        }
        // What ends an element tells of its last page.
        if next != nil || !request.frame.isElement(request.step) {
            let end = RunEvent.PageEnd(
                page: state.pages,
                items: elements.count,
                next: next.flatMap(run.kept),
                records: records,
                kept: kept(elements, isSecret: found.isSecret),
                cookies: request.cookieDomains
            )
            run.events.emit(.pageFinished(end), step: request.path)
        }
        return decision != .finish
    }

    /// The items of a page for the journal; `nil` where they are not needed, or a secret is among them.
    private func kept(_ items: [JSON], isSecret: Bool) -> RedactedJSON? {
        guard keepsItems, !isSecret else { return nil }
        return run.kept(JSON.array(items).markingBytes)
    }

    /// Returns the items of a page as a list: what `items` selects from the data after filters, or that data. A value that
    /// is not a list is one item, and null is none.
    private func foundItems(_ attempted: Attempted) throws(EvaluationProblem) -> ScopeValue {
        var value = attempted.data ?? ScopeValue(.null)
        // A page without data, such as a 204, has no items.
        if let expression = pagination.items, value.json != .null {
            value = try expression.value(in: attempted.scope.scope(.graph(request.frame.graph)))
        }
        switch value.json {
        case .array: break
        case .null: value.json = .array([])
        case let single: value.json = .array([single])
        }
        return value
    }

    private func conclude(_ attempted: Attempted, _ result: StepResult) async {
        // Where the items are not kept, nothing uses them.
        let data = ScopeValue(.array(items), isSecret: isSecret)
        attempted.scope.data = data
        // With 'until', what follows is evaluated once, for the last round.
        guard request.step.flow?.until == nil, attempted.failure == nil else { return }
        await Attempt(request, number: result.attempts, page: .plain).conclude(attempted)
    }
}

extension ManifestExpression {
    /// Whether `$` is part of it.
    fileprivate var usesData: Bool { references.contains { $0.root == .document } }
}

extension RequestRun {
    fileprivate var needsItems: Bool { step.needsItems }
}

extension StepPlan {
    /// Whether something uses the items of all pages that its request receives, when it has them all.
    var needsItems: Bool {
        guard case .request(let request) = work else { return false }
        return !keeps.isDisjoint(with: [.data, .itemData]) || request.returns != nil
            || request.outputs.contains(where: \.value.usesData) || flow?.until != nil
            || request.settings.intercept != nil
    }
}
