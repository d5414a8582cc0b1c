package import WaybillData

extension RunEvent.Kind {
    /// The `type` of the event.
    package var type: String {
        switch self {
        case .runStarted: "run.started"
        case .runPaused: "run.paused"
        case .runUnpaused: "run.unpaused"
        case .runFinished: "run.finished"
        case .graphStarted: "graph.started"
        case .graphFinishing: "graph.finishing"
        case .graphFinished: "graph.finished"
        case .stepStarted: "step.started"
        case .stepSkipped: "step.skipped"
        case .stepFinished: "step.finished"
        case .elementFinished: "element.finished"
        case .pageFinished: "page.finished"
        case .writeCommitted: "write.committed"
        case .requestWillSend: "request.willSend"
        case .requestSent: "request.sent"
        case .requestProgress: "request.progress"
        case .requestRedirected: "request.redirected"
        case .requestRetrying: "request.retrying"
        case .responseHead: "response.head"
        case .responseFinished: "response.finished"
        case .requestDebug: "request.debug"
        case .sessionRenewed: "session.renewed"
        case .log: "log"
        case .warning: "warning"
        }
    }
}

extension RunEvent {
    /// The event as `schemas/event.schema.json` describes it.
    package var json: JSON {
        var members = Members()
        members.add("seq", seq)
        members.add("at", at)
        members.add("type", kind.type)
        members.add("step", step)
        kind.addPayload(to: &members)
        return members.json
    }
}

extension RunEvent.Kind {
    fileprivate func addPayload(to members: inout Members) {
        switch self {
        case .runStarted(let start):
            members.add("run", start.id.description)
            members.add("manifest", start.manifest)
            members.add("environment", start.environment)
            members.add("graphs", .array(start.graphs.map(JSON.string)))
            members.add("inputs", start.inputs?.value)
            members.add("mock", start.isMocked ? .bool(true) : nil)
            members.add("resumed", start.isResumed ? .bool(true) : nil)
        case .runFinished(let outcome, let counts):
            members.add("outcome", outcome.rawValue)
            members.add("counts", counts.json)
        case .graphStarted(let graph), .graphFinishing(let graph):
            members.add("graph", graph)
        case .graphFinished(let graph, let outcome):
            members.add("graph", graph)
            members.add("outcome", outcome.rawValue)
        case .stepStarted, .runPaused, .runUnpaused:
            break
        case .stepSkipped(let reason):
            members.add("reason", reason.rawValue)
        case .stepFinished(let result, let kept):
            members.add("result", result.json)
            members.add("kept", kept?.json)
        case .elementFinished(let end):
            members.add("element", end.element)
            members.add("outcome", end.outcome.rawValue)
            members.add("failure", end.failure?.json)
            members.add(end.records)
            members.add("kept", end.kept?.json)
        case .pageFinished(let end):
            members.add("page", end.page)
            members.add("items", end.items)
            members.add("next", end.next?.value)
            members.add("kept", end.kept?.value)
            members.add(end.records)
        case .writeCommitted(let file):
            members.add("path", file.path)
            members.add("records", file.records)
            members.add("bytes", file.bytes)
        case .requestWillSend(let request):
            members.add("attempt", request.attempt)
            members.add("method", request.method)
            members.add("url", request.url)
            members.add("headers", RedactedHeader.json(request.headers))
        case .requestSent(let attempt, let bytes):
            members.add("attempt", attempt)
            members.add("bytes", bytes)
        case .requestProgress(let progress):
            members.add("attempt", progress.attempt)
            members.add("sent", progress.sent)
            members.add("sentTotal", progress.sentTotal)
            members.add("received", progress.received)
            members.add("receivedTotal", progress.receivedTotal)
        case .requestRedirected(let redirection):
            members.add("attempt", redirection.attempt)
            members.add("status", redirection.status)
            members.add("method", redirection.method)
            members.add("url", redirection.url)
        case .requestRetrying(let retry):
            members.add("attempt", retry.attempt)
            members.add("pause", milliseconds: retry.pause)
            members.add("failure", retry.failure.json)
        case .responseHead(let head):
            members.add("attempt", head.attempt)
            members.add("status", head.status)
            members.add("headers", RedactedHeader.json(head.headers))
        case .responseFinished(let attempt, let status, let time, let bytes):
            members.add("attempt", attempt)
            members.add("status", status)
            members.add("time", time.json)
            members.add("bytes", bytes.json)
        case .requestDebug(let attempt, let record):
            members.add("attempt", attempt)
            members.add("record", record.value)
        case .sessionRenewed(let service):
            members.add("service", service)
        case .log(let message):
            members.add("message", message)
        case .warning(let message, let span):
            members.add("message", message)
            members.add(span)
        }
    }
}

extension Members {
    fileprivate mutating func add(_ output: RecordedOutput?) {
        guard let output else { return }
        add(contentsOf: output.json)
    }
}

extension RedactedHeader {
    /// A list of `{name, value}`: a name may occur more than once, and the order matters.
    fileprivate static func json(_ headers: [RedactedHeader]) -> JSON {
        .array(
            headers.map { header in
                var members = Members()
                members.add("name", header.name)
                members.add("value", header.value)
                return members.json
            }
        )
    }
}
