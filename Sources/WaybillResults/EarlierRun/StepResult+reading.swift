import WaybillDiagnostics
import WaybillFormats
package import WaybillJSON

extension StepResult {
    /// Reads a step from `run.json` or the journal; `nil` for anything else.
    init?(json: JSON) {
        guard let id = json["id"]?.string, let path = json["path"]?.string, let graph = json["graph"]?.string,
            let outcome = json["outcome"]?.string.flatMap(StepOutcome.init)
        else { return nil }
        self.init(id: id, path: path, graph: graph, outcome: outcome)
        name = json["name"]?.string
        endpoint = json["endpoint"]?.string
        tags = json["tags"]?.array?.compactMap(\.string) ?? []
        attempts = json["attempts"]?.number?.int ?? 0
        (pages, polls) = (json["pages"]?.number?.int, json["polls"]?.number?.int)
        status = json["status"]?.number?.int
        cache = json["cache"]?.string.flatMap(CacheUse.init)
        method = json["method"]?.string
        url = json["url"]?.redactedText
        startedAt = json["startedAt"]?.string.flatMap(Timestamp.init(rfc3339:))
        time = json["time"].flatMap(PhaseTimes.init(json:))
        bytes = json["bytes"].map(ByteCounts.init(json:))
        failure = json["failure"].flatMap(Failure.init(json:))
        elements = json["elements"].map(ElementResults.init(json:))
        group = json["group"]?.string.flatMap(StepGroup.init)
    }
}

extension RunResult {
    /// Reads a run from `run.json`; `nil` for anything else.
    package init?(json: JSON) {
        guard let id = json["id"]?.string.flatMap(RunID.init), let manifest = json["manifest"]?.string,
            let startedAt = json["startedAt"]?.string.flatMap(Timestamp.init(rfc3339:)),
            let finishedAt = json["finishedAt"]?.string.flatMap(Timestamp.init(rfc3339:)),
            let outcome = json["outcome"]?.string.flatMap(RunOutcome.init)
        else { return nil }
        self.init(
            id: id,
            manifest: manifest,
            environment: json["environment"]?.string,
            part: json["part"]?.string,
            startedAt: startedAt,
            finishedAt: finishedAt,
            time: json["time"].flatMap(PhaseTimes.init(json:))?.total ?? startedAt.duration(to: finishedAt),
            outcome: outcome,
            steps: (json["steps"]?.array ?? []).compactMap(StepResult.init(json:))
        )
        isMocked = json["mock"] == true
        responseTimes = json["responseTimes"].flatMap(ResponseTimes.init(json:))
        coverage = (json["coverage"]?.array ?? []).compactMap(ContractCoverage.init(json:))
    }
}

extension PhaseTimes {
    /// Reads the times from a file of results; `nil` for anything else.
    init?(json: JSON) {
        guard let total = json["total"]?.milliseconds else { return nil }
        self.init(
            total: total,
            dns: json["dns"]?.milliseconds,
            connect: json["connect"]?.milliseconds,
            tls: json["tls"]?.milliseconds,
            firstByte: json["firstByte"]?.milliseconds
        )
    }
}

/// Values in the files of a run, which contain only redacted text.
extension JSON {
    /// A string that is safe to write.
    var redactedText: RedactedText? { string.map(RedactedText.init(redacted:)) }

    /// A count: not negative, and small enough that counts can be added without overflow.
    var count: Int? {
        guard let count = number?.int, (0...(1 << 40)).contains(count) else { return nil }
        return count
    }

    /// A duration in milliseconds, limited to about thirty years: a journal may contain any number.
    var milliseconds: Duration? {
        number.map { .microseconds(Int64(max(0, min($0.double * 1000, 1e15)).rounded())) }
    }
}

extension ByteCounts {
    init(json: JSON) {
        self.init(sent: json["sent"]?.number?.int ?? 0, received: json["received"]?.number?.int ?? 0)
    }
}

extension Failure {
    init?(json: JSON) {
        guard let kind = json["kind"]?.string.flatMap(FailureKind.init), let message = json["message"]?.redactedText
        else { return nil }
        self.init(
            kind: kind,
            message: message,
            location: SourceLocation(json: json),
            details: ((json["details"] ?? json["findings"])?.array ?? []).compactMap(Detail.init(json:))
        )
        serverCode = json["code"].map(RedactedJSON.init(redacted:))
    }
}

extension Failure.Detail {
    fileprivate init?(json: JSON) {
        guard let message = json["message"]?.redactedText else { return nil }
        self.init(message: message, location: SourceLocation(json: json))
        label = json["label"]?.redactedText
    }
}

extension SourceLocation {
    /// Reads a location from a file of results; `nil` if there is none.
    init?(json: JSON) {
        guard let file = json["file"]?.string, let line = json["line"]?.number?.int, line > 0 else { return nil }
        self.init(file: file, line: line, column: max(1, json["column"]?.number?.int ?? 1))
    }
}

extension ElementResults {
    fileprivate init(json: JSON) {
        self.init()
        for failure in json["failures"]?.array ?? [] {
            guard let element = failure["element"]?.number?.int, let reason = Failure(json: failure) else { continue }
            add(element: element, .failed, reason, ElementSubject(json: failure))
        }
        for element in (json["cases"]?.array ?? []).compactMap(ElementCase.init) { add(element) }
        take(counts: OutcomeCounts(json: json))
        responseTimes = json["responseTimes"].flatMap(ResponseTimes.init(json:))
    }
}
