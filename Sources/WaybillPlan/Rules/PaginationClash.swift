import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// The query parameter that each page fills cannot have another value.
struct PaginationClash: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        subject.forEachStep { site in
            guard let name = site.step.flow?.paginate?.filledQuery, let request = subject.requests.of(site),
                !request.unknown.contains(SettingNames.inherit), !request.unknown.contains(.query),
                !request.unknown.contains(.params)
            else { return }
            let sendsParameters = request.definition.sendsParametersInQuery ?? false
            let query = request.merged.query.filter { $0.values.value != nil }.map(\.name)
            let parameters = request.merged.params.filter { $0.value.value != nil }.map(\.name)
            let all = query + (sendsParameters ? parameters : [])
            let given = all.first { $0.value.hasSameCodePoints(as: name.value) }
            guard let given else { return }
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

extension Pagination {
    /// The query parameter that each page fills.
    fileprivate var filledQuery: Spanned<String>? {
        switch way {
        case .page(.query(let name), _), .offset(.query(let name), _), .cursor(.query(let name), _): name
        default: nil
        }
    }
}
