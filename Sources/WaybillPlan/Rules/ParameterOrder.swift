import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// A query field or parameter that reads `request` is evaluated after those that do not: it must not read its own value or
/// a later one, nor the body that it becomes a part of. A parameter that is read must exist.
struct ParameterOrder: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        guard subject.references.sites.contains(where: { $0.reference.root == .request }) else { return [] }
        return subject.diagnosticsOfRequests { request in
            let keys = [SettingDefinitions.inherit, ParameterSetting.key, BodySetting.key]
            return keys.contains(where: request.unknown.contains) ? [] : diagnostics(of: request)
        }
    }

    private func diagnostics(of request: RequestSite) -> [Diagnostic] {
        let settings = request.merged.withoutRemovals
        let params = settings.params.map(\.value.name)
        // The parameters that are not evaluated yet.
        var later = settings.entries.filter(\.readsRequest).compactMap { ($0.value as? ParameterSetting)?.name }
        var found: [Diagnostic] = []
        func check(_ use: ExpressionUse, partOfBody: Bool = false) {
            for reference in use.text.references where reference.root == .request {
                let span = use.text.span(of: reference.range)
                if reference.segments.first?.name == "body", partOfBody {
                    found.report(
                        "parameter-order",
                        "the parameter becomes a part of 'request.body', so it cannot read it",
                        at: span,
                        help: ["Read 'request.params', or sign the body in a header field."]
                    )
                }
                guard reference.segments.first?.name == "params",
                    let segment = reference.segments.dropFirst().first, let name = segment.name
                else { continue }
                if use.moment == .content, let read = later.first(where: { $0.value.hasSameCodePoints(as: name) }) {
                    found.report(
                        "parameter-order",
                        "'request.params' does not have '\(name)' yet: parameters that read 'request' are evaluated in order",
                        at: span,
                        secondary: [.init(read.span, "evaluated here or later")],
                        help: ["Read only parameters that do not read 'request', and those before this one."]
                    )
                } else if !reference.isGuarded, !params.contains(where: { $0.value.hasSameCodePoints(as: name) }) {
                    found.append(
                        .unknown(
                            "name",
                            Spanned(name, at: use.text.span(of: segment.range)),
                            among: params.map(\.value)
                        )
                    )
                }
            }
        }
        let isInBody = request.definition.sendsParametersInQuery == false && settings.body?.value.takesFields ?? true
        for entry in settings.entries {
            let parameter = entry.value as? ParameterSetting
            entry.value.visitUses(UseVisitor { check($0, partOfBody: parameter != nil && isInBody) })
            if let parameter { later.removeAll { $0.span == parameter.name.span } }
        }
        request.definition.visitOwnUses(UseVisitor { check($0) })
        return found
    }
}
