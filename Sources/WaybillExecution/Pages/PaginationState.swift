import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillResults
import WaybillTransport

/// Decides after each page of a step with `paginate` whether another one follows, and how it is requested.
struct PaginationState: Sendable {
    /// A page that was received.
    struct Page: Sendable {
        /// The scope of the expressions; `$` is the decoded response before filters.
        var scope: EvaluationScope
        /// The number of its items.
        var items: Int
        /// The items, to detect a server that sends the same ones for ever.
        var content: JSON?
        /// Whether the response has null where the list of items is expected.
        var isNull = false
        /// Whether the items are a list, so that they can be counted.
        var isList = true
        /// The URL that it came from.
        var url: String
        /// The values of its Link fields.
        var links: [String] = []
        /// Receives what the next request has of a secret.
        var redactor = Redactor()
    }

    /// What follows a page.
    enum Decision: Sendable, Equatable {
        /// It was the last one.
        case finish
        /// Another one follows.
        case follow(PageRequest)
        /// The response has no link, or one that must not be followed.
        case fail(String, at: SourceSpan)
    }

    private let pagination: Pagination
    /// The number of pages received so far.
    private(set) var pages: Int
    /// Whether the request for the next page was computed from a secret.
    private(set) var isSecret = false
    /// The request for the next page.
    private(set) var request: PageRequest
    private var detector = RepetitionDetector()
    /// The hash of the last page, and how many pages in a row have had it.
    private var lastPage: (hash: Int, count: Int)?
    /// The number of equal pages in a row after which a server seems to ignore the parameter.
    private static let maximumEqualPages = 3

    /// The state before the first page.
    init(_ pagination: Pagination) {
        self.pagination = pagination
        pages = 0
        request =
            switch pagination.style {
            case .next, .link, .cursor: .plain
            case .page(let parameter, let start): PageRequest(parameter, JSON.number(JSONNumber(start)))
            case .offset(let parameter, _): PageRequest(parameter, JSON.number(JSONNumber(0)))
            }
    }

    /// The state after a number of pages, with the URL, page number, offset or cursor of the next one.
    init(_ pagination: Pagination, after pages: Int, next: JSON) {
        self.init(pagination)
        self.pages = pages
        request =
            switch pagination.style {
            case .next, .link: .url(next.string ?? "")
            case .page(let parameter, _), .offset(let parameter, _), .cursor(let parameter, _):
                PageRequest(parameter, next)
            }
    }

    /// What follows a page.
    mutating func next(after page: Page) throws(EvaluationFailure) -> Decision {
        pages += 1
        let isLast = pagination.max.map { pages >= $0 } ?? false
        if isLast, !page.isNull { return .finish }
        if let condition = pagination.condition, try !condition.holds(in: page.scope) { return .finish }
        let decision = try following(page)
        // Servers send null for an empty list, but a page in the middle that has it has lost its items.
        if page.isNull, case .follow = decision {
            return .fail(
                "page \(pages) has null in place of its items, but another page follows it",
                at: pagination.span
            )
        }
        if isLast { return .finish }
        if case .follow(let request) = decision { self.request = request }
        return decision
    }

    private mutating func following(_ page: Page) throws(EvaluationFailure) -> Decision {
        switch pagination.style {
        case .page where !page.isList, .offset where !page.isList:
            throw EvaluationFailure(
                message: "the page is not a list, so its items cannot be counted; set 'items', such as items: $.orders",
                span: pagination.span,
                kind: .output
            )
        case .page(let parameter, _):
            return page.items == 0 && pagination.condition == nil ? .finish : count(1, in: parameter, after: page)
        case .offset(let parameter, let limit):
            return page.items < max(1, limit) ? .finish : count(page.items, in: parameter, after: page)
        case .link:
            do throws(LinkField.Malformed) {
                guard let target = try LinkField.next(in: page.links) else { return .finish }
                return follow(target, from: page, at: pagination.span)
            } catch {
                let words = "the field 'Link: \(error.field.excerpt(200))' is malformed, so it may name a next page"
                return .fail(words, at: pagination.span)
            }
        case .next(let expression):
            switch try value(of: expression, in: page) {
            case nil: return .finish
            case .string(let target): return follow(target, from: page, at: expression.span)
            case let other?:
                return .fail("the next page's URL is \(other.kind.phrase), not a string", at: expression.span)
            }
        case .cursor(let parameter, let expression):
            switch try value(of: expression, in: page) {
            case nil: return .finish
            case .string(let text)?: return go(PageRequest(parameter, .string(text)), text, at: expression.span)
            case .number(let number)?:
                return go(PageRequest(parameter, .number(number)), number.text, at: expression.span)
            case let other?:
                return .fail("the cursor is \(other.kind.phrase), not a string or a number", at: expression.span)
            }
        }
    }

    /// The name in the path of `next` or `from` that a page does not have, if the page has a similar one.
    func misspeltMember(in page: Page) -> (name: String, nearest: String, span: SourceSpan)? {
        guard let expression = pathToNext else { return nil }
        let paths = expression.references.filter { $0.root == .document }
        // With several paths, one of them is expected to match nothing.
        guard paths.count == 1, let data = page.scope.current, !data.isSecret else { return nil }
        var value = data.json
        for segment in paths[0].segments {
            guard let name = segment.name, case .object(let object) = value else { return nil }
            if let member = object[name] {
                value = member
            } else {
                return NearestName.of(name, among: object.names).map { (name, $0, expression.span) }
            }
        }
        return nil
    }

    /// The expression for the next page; `nil` if there is none.
    var pathToNext: ManifestExpression? {
        switch pagination.style {
        case .next(let path), .cursor(_, let path): path
        case .page, .offset, .link: nil
        }
    }

    private mutating func count(_ step: Int, in parameter: Pagination.Target, after page: Page) -> Decision {
        if pagination.max == nil, pagination.condition == nil, let hash = page.content?.hashValue {
            let count = lastPage?.hash == hash ? (lastPage?.count ?? 0) + 1 : 1
            lastPage = (hash, count)
            guard count < Self.maximumEqualPages else {
                let name =
                    switch parameter {
                    case .input(let name), .query(let name): name.value
                    }
                let message =
                    "\(count) pages in a row have the same items, so the server seems to ignore '\(name)'; 'max' or 'while' "
                    + "sets an end"
                return .fail(message, at: pagination.span)
            }
        }
        let (sum, isTooLarge) = (request.value?.number?.int ?? 0).addingReportingOverflow(step)
        guard !isTooLarge else {
            return .fail("cannot request the next page: its number is greater than \(Int.max)", at: pagination.span)
        }
        return .follow(PageRequest(parameter, .number(JSONNumber(sum))))
    }

    /// Evaluates an expression for the next page. There is no next page if it finds nothing, null or an empty string. A
    /// list of one element, as a path with a filter returns it, counts as that element. An empty list counts as nothing
    /// only if it comes from such a path, not from the response.
    private mutating func value(of expression: ManifestExpression, in page: Page) throws(EvaluationFailure) -> JSON? {
        let found = try expression.valueIfThere(in: page.scope)
        isSecret = found?.isSecret ?? false
        var value = found?.json
        if isSecret, let value { try page.redactor.register(secretsIn: value, at: expression.span) }
        if case .array(let elements)? = value {
            let isInResponse = expression.references.allSatisfy(\.isComplete)
            if elements.count == 1 || elements.isEmpty && !isInResponse { value = elements.first }
        }
        switch value {
        case nil, .null?, .string("")?: return nil
        default: return value
        }
    }

    /// Follows a link, whose URL may be relative to that of the page.
    private mutating func follow(_ target: String, from page: Page, at span: SourceSpan) -> Decision {
        var reference = URIReference(PercentEncoding.reference(target)).resolved(against: URIReference(page.url))
        reference.fragment = nil
        let url = reference.description
        if isSecret { page.redactor.register(url) }
        if pages == 1 { _ = detector.repeats(URIReference(page.url).withoutFragment.description) }
        do {
            _ = try Origin(ofURL: url)
        } catch {
            return .fail("cannot request the next page at '\(url)': \(error.message)", at: span)
        }
        return go(.url(url), url, at: span)
    }

    private mutating func go(_ request: PageRequest, _ text: String, at span: SourceSpan) -> Decision {
        guard !detector.repeats(text) else {
            return .fail("the pages form a cycle: '\(text)' occurs twice", at: span)
        }
        return .follow(request)
    }
}

extension PageRequest {
    /// Sets the input or query parameter that the manifest names.
    init(_ parameter: Pagination.Target, _ value: JSON) {
        switch parameter {
        case .input(let name): self = .input(name.value, value)
        case .query(let name): self = .query(name.value, value)
        }
    }
}

extension ManifestExpression {
    /// Returns the value of the expression; `nil` if it finds nothing.
    func valueIfThere(in scope: EvaluationScope) throws(EvaluationFailure) -> ScopeValue? {
        do {
            return try expression.evaluate(in: scope)
        } catch {
            if error.kind == .missing { return nil }
            throw EvaluationFailure(message: error.message, span: span(of: error.range))
        }
    }
}
