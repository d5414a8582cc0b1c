import WaybillDiagnostics
import WaybillFormats
package import WaybillJSON

extension StepResult {
    /// Reads a step from `run.json` or the journal; `nil` for anything else.
    init?(json: JSON) {
        // The files contain only redacted values.
        let redactor = Redactor()
        guard let id = json["id"]?.string, let path = json["path"]?.string, let graph = json["graph"]?.string,
            let outcome = json["outcome"]?.string.flatMap(StepOutcome.init)
        else { return nil }
        self.init(id: id, path: path, graph: graph, outcome: outcome)
        name = json["name"]?.string
        endpoint = json["endpoint"]?.string
        tags = json["tags"]?.array?.compactMap(\.string) ?? []
        attempts = json["attempts"]?.number?.int ?? 0
        status = json["status"]?.number?.int
        cache = json["cache"]?.string.flatMap(CacheUse.init)
        method = json["method"]?.string
        url = json["url"]?.string.map { redactor.text($0) }
        startedAt = json["startedAt"]?.string.flatMap(Timestamp.init(rfc3339:))
        time = json["time"].flatMap(PhaseTimes.init(json:))
        bytes = json["bytes"].map(ByteCounts.init(json:))
        failure = json["failure"].flatMap { Failure(json: $0, redactor) }
        elements = json["elements"].map { ElementResults(json: $0, redactor) }
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

extension JSON {
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
    init?(json: JSON, _ redactor: Redactor) {
        guard let kind = json["kind"]?.string.flatMap(FailureKind.init), let message = json["message"]?.string else {
            return nil
        }
        self.init(
            kind: kind,
            message: redactor.text(message),
            location: SourceLocation(json: json),
            details: ((json["details"] ?? json["findings"])?.array ?? []).compactMap { Detail(json: $0, redactor) }
        )
        serverCode = json["code"].map { redactor.json($0) }
    }
}

extension Failure.Detail {
    fileprivate init?(json: JSON, _ redactor: Redactor) {
        guard let message = json["message"]?.string else { return nil }
        self.init(message: redactor.text(message), location: SourceLocation(json: json))
        label = json["label"]?.string.map { redactor.text($0) }
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
    fileprivate init(json: JSON, _ redactor: Redactor) {
        self.init()
        for failure in json["failures"]?.array ?? [] {
            guard let element = failure["element"]?.number?.int, let reason = Failure(json: failure, redactor) else {
                continue
            }
            add(element: element, .failed, reason, ElementSubject(json: failure, redactor))
        }
        take(counts: OutcomeCounts(json: json))
    }
}
