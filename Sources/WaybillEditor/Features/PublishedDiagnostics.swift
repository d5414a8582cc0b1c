import WaybillDiagnostics
import WaybillJSON

/// The diagnostics of documents, in the form of LSP.
enum PublishedDiagnostics {
    /// Returns the diagnostics of some manifests, by the files that they are about. A diagnostic without a location is at the
    /// start of its manifest.
    static func ofManifests(_ analyses: [Analysis], in workspace: Workspace) -> [CodePoints: [JSON]] {
        var published: [CodePoints: [JSON]] = [:]
        for analysis in analyses {
            let own = analysis.published ?? ofManifest(analysis, in: workspace)
            analysis.published = own
            // Several manifests may include the same file.
            published.merge(own) { known, other in
                let seen = Set(known)
                return known + other.filter { !seen.contains($0) }
            }
        }
        return published
    }

    private static func ofManifest(_ analysis: Analysis, in workspace: Workspace) -> [CodePoints: [JSON]] {
        var published: [CodePoints: [JSON]] = [:]
        var writers: [SourceFile: (key: CodePoints, writer: PositionWriter)] = [:]
        for file in analysis.texts {
            let key = workspace.key(ofName: file.name)
            published[key] = []
            writers[file] = (key, PositionWriter(file, workspace.encoding))
        }
        for diagnostic in analysis.diagnostics {
            let file = diagnostic.primary?.span.file ?? analysis.file
            var (key, writer) =
                writers[file] ?? (workspace.key(ofName: file.name), PositionWriter(file, workspace.encoding))
            let range = writer.range(diagnostic.primary?.span.range ?? 0..<0)
            writers[file] = (key, writer)
            published[key, default: []].append(json(diagnostic, range, in: workspace))
        }
        return published
    }

    private static func json(_ diagnostic: Diagnostic, _ range: JSON, in workspace: Workspace) -> JSON {
        var json = JSONObject()
        json["range"] = range
        json["severity"] = diagnostic.severity == .error ? 1 : 2
        json["code"] = .string(diagnostic.id.name)
        json["source"] = "waybill"
        json["message"] = .string(([diagnostic.statement] + diagnostic.help).joined(separator: "\n"))
        if !diagnostic.secondary.isEmpty {
            json["relatedInformation"] = .array(
                diagnostic.secondary.map { label in
                    let text = label.text.isEmpty ? diagnostic.headline : label.text
                    return ["location": workspace.location(label.span), "message": .string(text)]
                }
            )
        }
        if diagnostic.id.name.hasPrefix("unused-") { json["tags"] = [1] }
        return .object(json)
    }
}

extension Workspace {
    /// Returns the location `{uri, range}` of a span.
    func location(_ span: SourceSpan) -> JSON {
        var writer = PositionWriter(span.file, encoding)
        return ["uri": .string(uri(of: key(ofName: span.file.name))), "range": writer.range(span.range)]
    }
}
