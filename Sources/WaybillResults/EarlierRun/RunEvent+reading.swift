import WaybillDiagnostics
import WaybillFormats
package import WaybillJSON

extension RunEvent {
    /// Reads a line of the journal; `nil` for an event of a later version, or an incomplete one.
    package init?(json: JSON) {
        guard let number = json["seq"]?.count, let at = json["at"]?.string.flatMap(Timestamp.init(rfc3339:)),
            let kind = try? Kind(EventMembers(json: json))
        else { return nil }
        self.init(seq: number, at: at, step: json["step"]?.string, endpoint: json["endpoint"]?.string, kind: kind)
    }
}

/// The members of an event in the journal.
private struct EventMembers {
    /// The error for a member that is missing, or has another kind than expected.
    struct Missing: Error {}

    let json: JSON

    subscript(name: String) -> JSON? { json[name] }

    /// Returns what a function makes of a member.
    func read<Value>(_ name: String, _ make: (JSON) -> Value?) throws(Missing) -> Value {
        guard let value = json[name].flatMap(make) else { throw Missing() }
        return value
    }

    /// Returns what a function makes of all members.
    func whole<Value>(_ make: (JSON) -> Value?) throws(Missing) -> Value {
        guard let value = make(json) else { throw Missing() }
        return value
    }

    func value<Value: RawRepresentable<String>>(_ name: String) throws(Missing) -> Value {
        try read(name) { $0.string.flatMap(Value.init) }
    }

    func string(_ name: String) throws(Missing) -> String { try read(name, \.string) }

    func text(_ name: String) throws(Missing) -> RedactedText { try read(name, \.redactedText) }

    func count(_ name: String) throws(Missing) -> Int { try read(name, \.count) }

    func failure(_ name: String) -> Failure? { json[name].flatMap(Failure.init(json:)) }

    /// Returns a value that is kept for later.
    func redacted(_ name: String) -> RedactedJSON? { json[name].map(RedactedJSON.init(recorded:)) }

    func headers(_ name: String) -> [RedactedHeader] {
        (json[name]?.array ?? []).compactMap { header in
            guard let name = header["name"]?.redactedText, let value = header["value"]?.redactedText else { return nil }
            return RedactedHeader(name: name, value: value)
        }
    }

    /// The attempt that the event is about.
    var attempt: Int { json["attempt"]?.count ?? 1 }
}

extension RunEvent.Kind {
    fileprivate init(_ event: EventMembers) throws(EventMembers.Missing) {
        switch try event.string("type") {
        case "run.started": self = .runStarted(try RunEvent.RunStart(event))
        case "run.paused": self = .runPaused
        case "run.unpaused": self = .runUnpaused
        case "run.finished":
            self = .runFinished(try event.value("outcome"), try event.read("counts", OutcomeCounts.init))
        case "graph.started": self = .graphStarted(graph: try event.string("graph"))
        case "graph.finishing": self = .graphFinishing(graph: try event.string("graph"))
        case "graph.finished": self = .graphFinished(graph: try event.string("graph"), try event.value("outcome"))
        case "step.started": self = .stepStarted
        case "step.skipped": self = .stepSkipped(try event.value("reason"), group: try? event.value("group"))
        case "step.finished":
            self = .stepFinished(try event.read("result", StepResult.init), kept: event.kept)
        case "elements.started": self = .elementsStarted(count: try event.count("elements"), of: event.list)
        case "element.finished": self = .elementFinished(try RunEvent.ElementEnd(event))
        case "page.finished": self = .pageFinished(try RunEvent.PageEnd(event))
        case "poll.finished":
            self = .pollFinished(poll: try event.count("poll"), pause: try event.read("pause", \.milliseconds))
        case "write.sharded":
            self = .writeSharded(
                RunEvent.ShardFile(
                    path: try event.text("path"),
                    others: event["others"]?.array?.compactMap(\.redactedText) ?? [],
                    records: try event.whole(RecordTally.init(json:)),
                    bytes: try event.count("bytes"),
                    checksum: event.json.crc32
                )
            )
        case "write.cut":
            let rest = try event.whole(RecordFileWriter.Resumption.Mark.init(json:))
            self = .writeCut(RunEvent.CutFile(path: try event.text("path"), rest: rest))
        case "write.committing": self = .writeCommitting(try RunEvent.WrittenFile(event))
        case "write.committed": self = .writeCommitted(try RunEvent.WrittenFile(event))
        case "download.committed": self = .downloadCommitted(try RunEvent.DownloadedFile(event))
        case "request.willSend":
            self = .requestWillSend(try RunEvent.SentRequest(event))
        case "request.sent": self = .requestSent(attempt: event.attempt, bytes: try event.count("bytes"))
        case "request.progress":
            self = .requestProgress(
                ProgressReport(
                    attempt: event.attempt,
                    sent: try event.count("sent"),
                    sentTotal: event["sentTotal"]?.count,
                    received: try event.count("received"),
                    receivedTotal: event["receivedTotal"]?.count
                )
            )
        case "request.redirected": self = .requestRedirected(try RunEvent.Redirection(event))
        case "request.retrying":
            guard let failure = event.failure("failure") else { throw EventMembers.Missing() }
            let pause = try event.read("pause", \.milliseconds)
            self = .requestRetrying(RunEvent.Retry(attempt: event.attempt, pause: pause, failure: failure))
        case "cache.used":
            let request = try? RunEvent.SentRequest(event)
            self = .cacheUsed(attempt: event.attempt, try event.value("cache"), request: request)
        case "response.head":
            var head = RunEvent.ResponseHead(
                attempt: event.attempt,
                status: try event.count("status"),
                httpVersion: event["httpVersion"]?.string,
                headers: event.headers("headers")
            )
            head.body = event["body"].flatMap(BodyExcerpt.init)
            self = .responseHead(head)
        case "response.finished":
            self = .responseFinished(
                attempt: event.attempt,
                status: try event.count("status"),
                try event.read("time", PhaseTimes.init),
                try event.read("bytes", ByteCounts.init)
            )
        case "request.debug":
            guard let record = event.redacted("record") else { throw EventMembers.Missing() }
            self = .requestDebug(attempt: event.attempt, record)
        case "session.renewed": self = .sessionRenewed(service: try event.string("service"))
        case "operation.covered":
            self = .operationCovered(
                RunEvent.CoveredResponse(
                    service: try event.string("service"),
                    operation: try event.string("operation"),
                    status: try event.string("status"),
                    mediaType: event["mediaType"]?.redactedText,
                    isDeclared: event["declared"] == true
                )
            )
        case "log": self = .log(try event.text("message"))
        case "warning": self = .warning(try event.text("message"), at: SourceLocation(json: event.json))
        default: throw EventMembers.Missing()
        }
    }
}

extension EventMembers {
    /// What the journal keeps of a step or an element.
    fileprivate var kept: RunEvent.KeptRecord? {
        guard let kept = json["kept"], let use = kept["use"]?.string.flatMap(RunEvent.KeptRecord.Use.init) else {
            return nil
        }
        return RunEvent.KeptRecord(
            use,
            record: kept["record"].map(RedactedJSON.init(recorded:)),
            lost: kept["lost"]?.array?.compactMap(\.string) ?? [],
            cookies: kept["cookies"]?.array?.compactMap(\.redactedText) ?? [],
            element: kept["element"]?.string
        )
    }

    /// The list of all shards.
    fileprivate var list: RunEvent.ShardedList? {
        guard let count = json["total"]?.count, let first = json["first"]?.count else { return nil }
        return RunEvent.ShardedList(count: count, first: first, digest: json["list"]?.string)
    }
}

extension RunEvent.RunStart {
    fileprivate init(_ event: EventMembers) throws(EventMembers.Missing) {
        self.init(
            id: try event.read("run") { $0.string.flatMap { RunID($0) } },
            manifest: try event.string("manifest"),
            environment: event["environment"]?.string,
            graphs: event["graphs"]?.array?.compactMap(\.string) ?? []
        )
        inputs = event.redacted("inputs")
        state = event.redacted("state")
        stateFile = event["stateFile"]?.string
        selection = event.redacted("selection")
        part = event.redacted("part")
        isMocked = event["mock"] == true
        isResumed = event["resumed"] == true
    }
}

extension RunEvent.SentRequest {
    fileprivate init(_ event: EventMembers) throws(EventMembers.Missing) {
        self.init(
            attempt: event.attempt,
            method: try event.string("method"),
            url: try event.text("url"),
            headers: event.headers("headers")
        )
        body = event["body"].flatMap(BodyExcerpt.init)
    }
}

extension RunEvent.ElementEnd {
    fileprivate init(_ event: EventMembers) throws(EventMembers.Missing) {
        self.init(
            index: try event.count("element"),
            outcome: try event.value("outcome"),
            failure: event.failure("failure"),
            subject: ElementSubject(json: event.json),
            records: RecordedOutput(event.json),
            kept: event.kept
        )
    }
}

extension RunEvent.PageEnd {
    fileprivate init(_ event: EventMembers) throws(EventMembers.Missing) {
        self.init(
            number: try event.count("page"),
            items: try event.count("items"),
            nextPage: event.redacted("next"),
            records: RecordedOutput(event.json),
            kept: event.redacted("kept"),
            cookies: (event["cookies"]?.array ?? []).compactMap(\.redactedText)
        )
    }
}

extension RunEvent.Redirection {
    fileprivate init(_ event: EventMembers) throws(EventMembers.Missing) {
        self.init(
            attempt: event.attempt,
            status: try event.count("status"),
            method: try event.string("method"),
            url: try event.text("url")
        )
        guard let version = event["httpVersion"]?.string else { return }
        details = Details(
            httpVersion: version,
            headers: event.headers("headers"),
            time: try event.read("time", PhaseTimes.init),
            nextHeaders: event.headers("nextHeaders")
        )
    }
}

extension RunEvent.WrittenFile {
    fileprivate init(_ event: EventMembers) throws(EventMembers.Missing) {
        self.init(
            path: try event.text("path"),
            table: event["table"]?.string,
            records: try event.count("records"),
            bytes: try event.count("bytes"),
            checksum: event.json.crc32,
            aggregated: event.redacted("aggregates")
        )
        if let number = event["file"]?.count, let count = event["files"]?.count {
            position = Position(number: number, count: count)
        }
        if let unfinished = event["unfinished"].flatMap(RecordFileWriter.Resumption.Mark.init(json:)) {
            commit = Commit(
                unfinished: unfinished,
                result: event["result"].flatMap(StepResult.init),
                kept: event.kept
            )
        }
    }
}

extension RunEvent.DownloadedFile {
    fileprivate init(_ event: EventMembers) throws(EventMembers.Missing) {
        self.init(
            path: try event.text("path"),
            bytes: try event.count("bytes"),
            sha256: event["sha256"]?.string,
            isResumed: event["resumed"] == true,
            isKept: event["kept"] == true
        )
    }
}
