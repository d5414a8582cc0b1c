import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// The query parameter that each page fills cannot have another value; the items that paging counts must not be removed
/// before, because paging would stop at the first page of which the filters leave too few; only a list can take the
/// place of a page; a session is one response; and `none` removes something.
struct PaginationClash: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let ofPages = subject.paginations.flatMap { paginate, requests in
            [
                parameterClash(paginate, requests),
                filterClash(paginate, requests, subject) ?? recoveryClash(paginate, requests),
            ]
        }
        return ofPages.compactMap(\.self)
            + subject.manifest.services.values.compactMap { sessionClash($0.value, subject) }
            + subject.steps.compactMap(uselessRemoval)
    }

    private func sessionClash(_ service: Service, _ subject: RuleSubject) -> Diagnostic? {
        guard let call = service.session?.call,
            let paginate = subject.manifest.endpoints[call.name.value]?.value.request.paginate
        else { return nil }
        return Diagnostic(
            "pagination-clash",
            "a session is the response of one request, but endpoint '\(call.name.value)' has 'paginate'",
            at: call.name.span,
            secondary: [.init(paginate.span, "the pages")],
            help: ["Write 'paginate' at the steps that call the endpoint, or call another one."]
        )
    }

    private func uselessRemoval(_ site: StepSite) -> Diagnostic? {
        guard let none = site.step.flow?.withoutPages, !site.callsUnknown, !site.arePagesUnknown,
            !site.step.unknown.contains(.form), site.endpoint?.request.paginate == nil
        else { return nil }
        return Diagnostic(
            "misplaced-key",
            "'paginate: none' has no effect here: there is no 'paginate' of an endpoint to remove",
            at: none,
            help: ["Remove it."]
        )
    }

    private func recoveryClash(_ paginate: Pagination, _ requests: [RequestSite]) -> Diagnostic? {
        let settings = requests.flatMap { $0.merged.intercept }
        for action in settings.flatMap({ $0.value.actions.values.joined() }) {
            guard case .recover(let value) = action.work, let constant = value.constant, constant.array == nil else {
                continue
            }
            return Diagnostic(
                "pagination-clash",
                "the data of 'recover' must be a list: with 'paginate', it takes the place of a page's items",
                at: value.span,
                secondary: [.init(paginate.span, "the pages")],
                help: ["Write the items, such as recover: []."]
            )
        }
        return nil
    }

    private func filterClash(
        _ paginate: Pagination,
        _ requests: [RequestSite],
        _ subject: RuleSubject
    ) -> Diagnostic? {
        guard paginate.countsItems else { return nil }
        func diagnostic(_ key: String, at span: SourceSpan) -> Diagnostic {
            Diagnostic(
                "pagination-clash",
                "paging counts the items, but '\(key)' may leave some out, so it could stop too early",
                at: paginate.span,
                secondary: [.init(span, "may leave items out")],
                help: [
                    "Select the items where they are used, such as write: {records: \"$[?@.open == true]\"}.",
                    "Or let 'while' decide instead of the count, with 'page': while: length($.items) > 0.",
                    "Or use 'next' or 'link', if the responses name the next page.",
                ]
            )
        }
        if let items = paginate.items, !items.expression.keepsElements {
            return diagnostic("items", at: items.span)
        }
        for request in requests {
            for filter in request.merged.filters {
                let stages: [FilterEntry] =
                    switch filter.value {
                    case .stage: [filter.value]
                    case .named(let name, _): subject.manifest.stages(ofFilter: name.value)
                    }
                let keys = stages.compactMap { entry in
                    if case .stage(let stage) = entry, !stage.keepsElements { stage.key } else { nil }
                }
                if let key = keys.first { return diagnostic(key, at: filter.span) }
            }
        }
        return nil
    }

    private func parameterClash(_ paginate: Pagination, _ requests: [RequestSite]) -> Diagnostic? {
        guard case .query(let name)? = paginate.target,
            let given = requests.lazy.compactMap({ $0.queryField(named: name.value) }).first
        else { return nil }
        return Diagnostic(
            "pagination-clash",
            "each page fills the query parameter '\(name.value)', which already has a value",
            at: name.span,
            secondary: [.init(given.span, "given here")],
            help: ["Remove it there; 'start' sets the value for the first page."]
        )
    }
}

extension RuleSubject {
    /// Every way to find the next page, with the requests that it repeats: those of steps, and those of endpoints by
    /// themselves.
    var paginations: [(paginate: Pagination, requests: [RequestSite])] {
        let ofSteps = steps.compactMap { site in site.paginate.map { ($0, requests.of(site)) } }
        let ofEndpoints = manifest.endpoints.values.compactMap { endpoint in
            endpoint.value.request.paginate.map { ($0, [requests.ofEndpoint(endpoint.name.value)].compactMap(\.self)) }
        }
        return ofSteps + ofEndpoints
    }
}

extension RequestSite {
    /// The name of the parameter that is sent in the query under a name, if it is known.
    fileprivate func queryField(named name: String) -> Spanned<String>? {
        guard !unknown.contains(SettingDefinitions.inherit), !unknown.contains(QuerySetting.key),
            !unknown.contains(ParameterSetting.key)
        else {
            return nil
        }
        let merged = merged
        var names = merged.query.filter { $0.value.texts != nil }.map(\.value.name)
        if definition.sendsParametersInQuery ?? false {
            names += merged.params.filter { $0.value.value != nil }.map(\.value.name)
        }
        return names.first { $0.value.hasSameCodePoints(as: name) }
    }
}

extension Pagination {
    /// Whether the number of items decides about the next page.
    fileprivate var countsItems: Bool {
        switch style {
        case .page: condition == nil
        case .offset: true
        case .next, .link, .cursor: false
        }
    }

    /// The part of a request that each page fills.
    var target: Target? {
        switch style {
        case .page(let target, _), .offset(let target, _), .cursor(let target, _): target
        case .next, .link: nil
        }
    }
}
