import OrderedCollections
import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// The body of a download goes to its file: nothing that needs it decoded stands beside it.
struct DownloadData: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        func check(_ definition: RequestDefinition, _ step: Step?) {
            guard let download = definition.download else { return }
            let needs = definition.needsOfData(step)
            guard let first = needs.first else { return }
            diagnostics.append(
                Diagnostic(
                    "download-has-no-data",
                    "the body goes to the file of the download, and this needs it as data",
                    at: first,
                    secondary: [.init(download.span, "the download")] + needs.dropFirst().map { .init($0, "this too") },
                    help: ["Leave the download away and 'write' the data, or ask for it in a request of its own."]
                )
            )
        }
        for endpoint in subject.manifest.endpoints.values { check(endpoint.value.request, nil) }
        subject.manifest.forEachStep { site in
            switch site.step.action {
            case .request(let definition): check(definition, site.step)
            case .call(let call):
                guard let request = subject.manifest.endpoints[call.name.value]?.value.request else { return }
                var own = RequestDefinition(address: request.address)
                own.download = request.download
                check(own, site.step)
            case .group, .graph, .values, .end: return
            }
        }
        return diagnostics
    }
}

extension RequestDefinition {
    /// What needs data, of the request and of the step that sends it. What farther levels say is for others too.
    fileprivate func needsOfData(_ step: Step?) -> [SourceSpan] {
        var spans: [SourceSpan] = []
        for entry in settings.entries + (step?.settings.entries ?? []) {
            switch entry.value {
            case .filter, .expectJSON, .expectSchema: spans.append(entry.span)
            case .expectBody(let check) where check.that.usesData: spans.append(check.that.span)
            default: break
            }
        }
        spans += (outputs + (step?.outputs ?? [])).filter(\.value.usesData).map(\.value.span)
        if let returns { spans.append(returns.span) }
        if let step {
            if let write = step.flow?.write, write.records?.usesData ?? true { spans.append(write.span) }
            if let until = step.flow?.until, until.that.usesData { spans.append(until.that.span) }
            if let items = step.flow?.paginate?.items { spans.append(items.span) }
        }
        return spans
    }
}

extension ManifestExpression {
    fileprivate var usesData: Bool { references.contains { $0.name == "$" } }
}
