import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// The body of a download is written to a file, so nothing in the request may need it decoded.
struct DownloadData: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        func check(_ download: Download?, _ needs: @autoclosure () -> [SourceSpan]) {
            guard let download else { return }
            let needs = needs()
            guard let first = needs.first else { return }
            diagnostics.report(
                "download-has-no-data",
                "this needs the body as data, but the body is downloaded to a file",
                at: first,
                secondary: [.init(download.span, "the download")] + needs.dropFirst().map { .init($0, "this too") },
                help: ["Remove the download and 'write' the data, or get the data with a separate request."]
            )
        }
        for endpoint in subject.manifest.endpoints.values {
            check(endpoint.value.request.download, endpoint.value.request.needsOfData)
        }
        for site in subject.steps {
            if let endpoint = site.endpoint {
                // The endpoint's own settings are reported at the endpoint.
                check(endpoint.request.download, site.step.needsOfData)
            } else if case .request(let definition) = site.step.action {
                check(definition.download, definition.needsOfData + site.step.needsOfData)
            }
        }
        return diagnostics
    }
}

extension RequestDefinition {
    /// The spans in the request that need data. Outer levels are not included, because they also apply to other
    /// requests.
    fileprivate var needsOfData: [SourceSpan] {
        settings.entries.spans(needingData: \.usesData) + outputs.filter(\.value.usesData).map(\.value.span)
            + [returns?.span, paginate?.span].compactMap { $0 }
    }
}

extension Step {
    /// The spans in the step that need data.
    fileprivate var needsOfData: [SourceSpan] {
        var spans = settings.entries.spans(needingData: \.usesData) + outputs.filter(\.value.usesData).map(\.value.span)
        spans += (flow?.writes ?? []).filter { $0.records?.usesData ?? true }.map(\.span)
        if let until = flow?.until, until.that.usesData { spans.append(until.that.span) }
        if let paginate = flow?.paginate { spans.append(paginate.span) }
        return spans
    }
}

extension [Setting<any SettingDefinition>] {
    /// Returns the spans of the settings that need data, if a condition needs it.
    func spans(needingData needs: (ManifestExpression) -> Bool) -> [SourceSpan] {
        compactMap { entry in
            switch entry.value.dataNeed {
            case .nothing: nil
            case .data: entry.span
            case .condition(let condition): needs(condition) ? condition.span : nil
            }
        }
    }
}

extension ManifestExpression {
    fileprivate var usesData: Bool { references.contains { $0.name == "$" } }
}
