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
            published.merge(own) { known, other in known + other }
        }
        // Several manifests may include the same file. An error that not all of them have names one that has it.
        for (file, all) in published {
            let including = analyses.filter { $0.published?[file] != nil }
            guard including.count > 1, !all.isEmpty else { continue }
            var count: [JSON: Int] = [:]
            for diagnostic in all { count[diagnostic, default: 0] += 1 }
            var seen: Set<JSON> = []
            published[file] = including.flatMap { analysis in
                (analysis.published?[file] ?? []).filter { seen.insert($0).inserted }.map { diagnostic in
                    guard count[diagnostic] != including.count, case .object(var json) = diagnostic else {
                        return diagnostic
                    }
                    let note = "In '\(analysis.file.name.split(separator: "/").last ?? "")', which includes this file."
                    json["message"] = .string("\(diagnostic["message"]?.string ?? "")\n\(note)")
                    return .object(json)
                }
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
