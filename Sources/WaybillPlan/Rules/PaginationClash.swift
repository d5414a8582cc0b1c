import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// The query parameter that each page fills cannot have another value.
struct PaginationClash: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        subject.forEachStep { site in
            guard let name = site.step.flow?.paginate?.filledQuery,
                let given = subject.requests.of(site).lazy.compactMap({ $0.queryField(named: name.value) }).first
            else { return }
            diagnostics.append(
                Diagnostic(
                    "pagination-clash",
                    "each page fills the query parameter '\(name.value)', which already has a value",
                    at: name.span,
                    secondary: [.init(given.span, "given here")],
                    help: ["Remove it there; 'start' sets the value for the first page."]
                )
            )
        }
        return diagnostics
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
    /// The query parameter that each page fills.
    fileprivate var filledQuery: Spanned<String>? {
        switch style {
        case .page(.query(let name), _), .offset(.query(let name), _), .cursor(.query(let name), _): name
        default: nil
        }
    }
}
