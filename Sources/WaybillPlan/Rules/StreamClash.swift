import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// A stream is one response whose events are used as they arrive: nothing may need it as a whole before, or send it
/// several times, and none of its limits may be without effect.
struct StreamClash: ManifestRule {
    /// The filters that process each element of a list by itself.
    private static let ofElements = ["map", "where", "pick", "omit", "rename", "set"]

    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        func report(_ message: String, _ stream: Setting<StreamSetting>, _ other: SourceSpan, _ help: String) {
            diagnostics.report(
                "stream-clash",
                message,
                at: other,
                secondary: [.init(stream.span, "the stream")],
                help: [help]
            )
        }
        for request in subject.requests.all {
            guard let stream = request.nearest(StreamSetting.key, { $0.stream }) else { continue }
            let flow = request.step?.step.flow
            if let download = request.definition.download {
                report("a download has no events", stream, download.span, "Remove 'download' or 'stream'.")
            }
            if request.method == "HEAD" {
                report("the response to HEAD has no events", stream, request.span, "Use GET.")
            }
            let pages = request.step.map(\.paginate) ?? request.definition.paginate
            if let span = pages?.span ?? flow?.until?.span {
                let help = "Remove it: 'until' of 'stream' ends the stream."
                report("a stream of events is one response, which this would request again", stream, span, help)
            }
            if let decoding = request.nearest(Decoding.key, { $0.decoding }),
                ![.auto, .sse, .ndjson].contains(decoding.value)
            {
                let help = "Use 'decoding: sse' or 'decoding: ndjson'."
                report("\(decoding.value.rawValue) is not a stream of events", stream, decoding.span, help)
            }
            if let duplicates = request.nearest(DuplicatePolicy.key, { $0.duplicates }), duplicates.value.mode == .share
            {
                report(
                    "events are not shared: only the request that is sent would receive them",
                    stream,
                    duplicates.span,
                    "Use another mode of 'duplicates', or let other steps use the data of this one."
                )
            }
            if case .constant(let time) = stream.value.time,
                let timeout = request.nearest(TimeoutSetting.key, { $0.timeout }),
                case .constant(let limit) = timeout.value, limit <= time
            {
                let help = "Remove 'timeout', or make it longer than 'for'."
                report("'for' has no effect: this fails each attempt before", stream, timeout.span, help)
            }
            if flow?.writes.isEmpty == false { checkFilters(of: request, stream, subject, report) }
        }
        return diagnostics
    }

    /// Reports the filters of a stream with 'write' that need all of its events.
    private func checkFilters(
        of request: RequestSite,
        _ stream: Setting<StreamSetting>,
        _ subject: RuleSubject,
        _ report: (_ message: String, Setting<StreamSetting>, SourceSpan, _ help: String) -> Void
    ) {
        for filter in request.merged.filters {
            let entries: [FilterEntry] =
                if case .named(let name, _) = filter.value { subject.manifest.stages(ofFilter: name.value) } else {
                    [filter.value]
                }
            for case .stage(let stage) in entries {
                var usesAll = !Self.ofElements.contains(stage.key)
                stage.visitUses(
                    UseVisitor { use in usesAll = usesAll || use.text.references.contains { $0.root == .document } }
                )
                guard usesAll else { continue }
                let message =
                    "'\(stage.key)' needs all events, but with 'write' each one is filtered and written when it arrives"
                let help =
                    "Only filters of single elements can be used: \(Self.ofElements.joined(separator: ", ")), without '$'."
                report(message, stream, filter.span, help)
            }
        }
    }
}
