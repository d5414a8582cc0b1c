import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// The query parameter that each page fills cannot have another value; the items that paging counts must not be removed
/// before, because paging would stop at the first page of which the filters leave too few; and only a list can take the
/// place of a page.
struct PaginationClash: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        parameterClashes(subject) + subject.steps.compactMap { filterClash($0, subject) ?? recoveryClash($0, subject) }
    }

    private func recoveryClash(_ site: StepSite, _ subject: RuleSubject) -> Diagnostic? {
        guard let paginate = site.step.flow?.paginate else { return nil }
        let settings = subject.requests.of(site).compactMap { $0.merged.intercept }
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

    private func filterClash(_ site: StepSite, _ subject: RuleSubject) -> Diagnostic? {
        guard let paginate = site.step.flow?.paginate, paginate.countsItems else { return nil }
        func diagnostic(_ key: String, at span: SourceSpan) -> Diagnostic {
            Diagnostic(
                "pagination-clash",
                "paging counts the items, but '\(key)' may leave some out, so it could stop too early",
                at: paginate.span,
                secondary: [.init(span, "may leave items out")],
                help: [
                    "Select the items where they are used, such as write: {records: \"$[?@.open == true]\"}.",
                    "Or let 'while' decide instead of the count, with 'page': while: length($.items) > 0.",
                ]
            )
        }
        if let items = paginate.items, !items.expression.keepsElements {
            return diagnostic("items", at: items.span)
        }
        for request in subject.requests.of(site) {
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

    private func parameterClashes(_ subject: RuleSubject) -> [Diagnostic] {
        subject.steps.compactMap { site in
            guard case .query(let name)? = site.step.flow?.paginate?.target,
                let given = subject.requests.of(site).lazy.compactMap({ $0.queryField(named: name.value) }).first
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
