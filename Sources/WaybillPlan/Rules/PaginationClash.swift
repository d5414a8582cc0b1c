import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// The query parameter that each page fills cannot have another value.
struct PaginationClash: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
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
        var names = merged.query.filter { $0.values.value != nil }.map(\.name)
        if definition.sendsParametersInQuery ?? false {
            names += merged.params.filter { $0.value.value != nil }.map(\.name)
        }
        return names.first { $0.value.hasSameCodePoints(as: name) }
    }
}

extension Pagination {
    /// The part of a request that each page fills.
    var target: Target? {
        switch style {
        case .page(let target, _), .offset(let target, _), .cursor(let target, _): target
        case .next, .link: nil
        }
    }
}
