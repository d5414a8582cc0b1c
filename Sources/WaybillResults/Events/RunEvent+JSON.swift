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
        case .elementsStarted: "elements.started"
        case .elementFinished: "element.finished"
        case .pageFinished: "page.finished"
        case .pollFinished: "poll.finished"
        case .writeSharded: "write.sharded"
        case .writeCut: "write.cut"
        case .writeCommitting: "write.committing"
        case .writeCommitted: "write.committed"
        case .downloadCommitted: "download.committed"
        case .requestWillSend: "request.willSend"
        case .requestSent: "request.sent"
        case .requestProgress: "request.progress"
        case .requestRedirected: "request.redirected"
        case .requestRetrying: "request.retrying"
        case .cacheUsed: "cache.used"
        case .responseHead: "response.head"
        case .responseFinished: "response.finished"
        case .requestDebug: "request.debug"
        case .sessionRenewed: "session.renewed"
        case .operationCovered: "operation.covered"
        case .log: "log"
        case .warning: "warning"
        }
    }
}

extension RunEvent: JSONStreamable {
    /// The event as `schemas/event.schema.json` describes it.
    package func addMembers(to object: inout JSONStream) {
        object.add("seq", seq)
        object.add("at", at)
        object.add("type", kind.type)
        object.add("step", step)
        object.add("endpoint", endpoint)
        kind.addPayload(to: &object)
    }
}

extension RunEvent.Kind {
    fileprivate func addPayload(to object: inout JSONStream) {
        switch self {
        case .runStarted(let start):
            object.add("run", start.id)
            object.add("manifest", start.manifest)
            object.add("environment", start.environment)
            object.add("graphs", each: start.graphs)
            object.add("inputs", start.inputs)
            object.add("state", start.state)
            object.add("stateFile", start.stateFile)
            object.add("selection", start.selection)
            object.add("part", start.part)
            object.add("mock", start.isMocked ? true : nil)
            object.add("resumed", start.isResumed ? true : nil)
        case .runFinished(let outcome, let counts):
            object.add("outcome", outcome.rawValue)
            object.add("counts", counts)
        case .graphStarted(let graph), .graphFinishing(let graph):
            object.add("graph", graph)
        case .graphFinished(let graph, let outcome):
            object.add("graph", graph)
            object.add("outcome", outcome.rawValue)
        case .stepStarted, .runPaused, .runUnpaused:
            break
        case .stepSkipped(let reason, let group):
            object.add("group", group?.rawValue)
            object.add("reason", reason.rawValue)
        case .stepFinished(let result, let kept):
            object.add("result", result)
            object.add("kept", kept)
        case .elementsStarted(let count, let list):
            object.add("elements", count)
            object.add("first", list?.first)
            object.add("total", list?.count)
            object.add("list", list?.digest)
        case .elementFinished(let end):
            object.add("element", end.index)
            object.add("outcome", end.outcome.rawValue)
            object.add("failure", end.failure)
            end.subject.addMembers(to: &object)
            end.records?.addMembers(to: &object)
            object.add("kept", end.kept)
        case .pageFinished(let end):
            object.add("page", end.number)
            object.add("items", end.items)
            object.add("next", end.nextPage)
            object.add("kept", end.kept)
            if !end.cookies.isEmpty { object.add("cookies", each: end.cookies.map(\.string)) }
            end.records?.addMembers(to: &object)
        case .pollFinished(let poll, let pause):
            object.add("poll", poll)
            object.add("pause", milliseconds: pause)
        case .writeCut(let file):
            object.add("path", file.path)
            file.rest.addMembers(to: &object)
        case .writeSharded(let file):
            object.add("path", file.path)
            if !file.others.isEmpty { object.add("others", each: file.others.map(\.string)) }
            file.records.addMembers(to: &object)
            object.add("bytes", file.bytes)
            object.add("crc32", file.checksum.map(Int.init))
        case .writeCommitting(let file), .writeCommitted(let file):
            object.add("path", file.path)
            object.add("table", file.table)
            object.add("records", file.records)
            object.add("bytes", file.bytes)
            object.add("crc32", file.checksum.map(Int.init))
            object.add("aggregates", file.aggregated)
            object.add("file", file.position?.number)
            object.add("files", file.position?.count)
            guard let commit = file.commit else { break }
            object.add("unfinished", commit.unfinished)
            object.add("result", commit.result)
            object.add("kept", commit.kept)
        case .downloadCommitted(let file):
            object.add("path", file.path)
            object.add("bytes", file.bytes)
            object.add("sha256", file.sha256)
            object.add("resumed", file.isResumed)
            object.add("kept", file.isKept ? true : nil)
        case .requestWillSend(let request):
            object.add("attempt", request.attempt)
            request.addMembers(to: &object)
        case .requestSent(let attempt, let bytes):
            object.add("attempt", attempt)
            object.add("bytes", bytes)
        case .requestProgress(let progress):
            object.add("attempt", progress.attempt)
            object.add("sent", progress.sent)
            object.add("sentTotal", progress.sentTotal)
            object.add("received", progress.received)
            object.add("receivedTotal", progress.receivedTotal)
        case .requestRedirected(let redirection):
            object.add("attempt", redirection.attempt)
            object.add("status", redirection.status)
            object.add("method", redirection.method)
            object.add("url", redirection.url)
            if let details = redirection.details {
                object.add("httpVersion", details.httpVersion)
                object.add("headers", each: details.headers)
                object.add("time", details.time)
                object.add("nextHeaders", each: details.nextHeaders)
            }
        case .requestRetrying(let retry):
            object.add("attempt", retry.attempt)
            object.add("pause", milliseconds: retry.pause)
            object.add("failure", retry.failure)
        case .cacheUsed(let attempt, let use, let request):
            object.add("attempt", attempt)
            object.add("cache", use.rawValue)
            request?.addMembers(to: &object)
        case .responseHead(let head):
            object.add("attempt", head.attempt)
            object.add("status", head.status)
            object.add("httpVersion", head.httpVersion)
            object.add("headers", each: head.headers)
            object.add("body", head.body)
        case .responseFinished(let attempt, let status, let time, let bytes):
            object.add("attempt", attempt)
            object.add("status", status)
            object.add("time", time)
            object.add("bytes", bytes)
        case .requestDebug(let attempt, let record):
            object.add("attempt", attempt)
            object.add("record", record)
        case .sessionRenewed(let service):
            object.add("service", service)
        case .operationCovered(let response):
            object.add("service", response.service)
            object.add("operation", response.operation)
            object.add("status", response.status)
            object.add("mediaType", response.mediaType)
            object.add("declared", response.isDeclared)
        case .log(let message):
            object.add("message", message)
        case .warning(let message, let location):
            object.add("message", message)
            object.add(location)
        }
    }
}

extension RunEvent.SentRequest {
    /// Writes `method`, `url`, `headers` and `body`.
    fileprivate func addMembers(to object: inout JSONStream) {
        object.add("method", method)
        object.add("url", url)
        object.add("headers", each: headers)
        object.add("body", body)
    }
}

extension RedactedHeader: JSONStreamable {
    /// Writes `{name, value}`. A list of these is used because a name may occur more than once, and the order matters.
    package func addMembers(to object: inout JSONStream) {
        object.add("name", name)
        object.add("value", value)
    }
}
