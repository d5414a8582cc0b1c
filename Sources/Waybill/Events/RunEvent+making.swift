import WaybillResults

extension RunEvent.Kind {
    /// Creates the kind of an event that a test has made.
    init(_ kind: ManifestRun.Event.Kind) {
        self =
            switch kind {
            case .runStarted(let start): .runStarted(start)
            case .runFinished(let outcome, let counts): .runFinished(outcome, counts)
            case .paused: .runPaused
            case .unpaused: .runUnpaused
            case .graphStarted(let name): .graphStarted(graph: name)
            case .graphFinishing(let name): .graphFinishing(graph: name)
            case .graphFinished(let name, let outcome): .graphFinished(graph: name, outcome)
            case .stepStarted: .stepStarted
            case .stepSkipped(let reason): .stepSkipped(reason)
            case .stepFinished(let step): .stepFinished(step)
            case .elementsStarted(let count): .elementsStarted(count: count)
            case .elementFinished(let end): .elementFinished(end)
            case .pageFinished(let page): .pageFinished(page)
            case .pollFinished(let number, let pause): .pollFinished(poll: number, pause: pause)
            case .fileTruncated(let file): .writeCut(file)
            case .fileCompleted(let file): .writeCommitting(file)
            case .fileWritten(let file): .writeCommitted(file)
            case .fileDownloaded(let file): .downloadCommitted(file)
            case .requestWillSend(let request): .requestWillSend(request)
            case .requestSent(let attempt, let bytes): .requestSent(attempt: attempt, bytes: bytes)
            case .requestProgress(let progress): .requestProgress(progress)
            case .requestRedirected(let redirection): .requestRedirected(redirection)
            case .requestRetrying(let retry): .requestRetrying(retry)
            case .cacheUsed(let attempt, let use): .cacheUsed(attempt: attempt, use)
            case .responseStarted(let head): .responseHead(head)
            case .responseFinished(let response):
                .responseFinished(
                    attempt: response.attempt,
                    status: response.status,
                    response.times,
                    response.bytes
                )
            case .exchange(let exchange): .requestDebug(attempt: 1, Redactor().json(exchange.json))
            case .sessionRenewed(let service): .sessionRenewed(service: service)
            case .operationCovered(let response): .operationCovered(response)
            case .log(let message): .log(message)
            case .warning(let message, let location): .warning(message, at: location)
            }
    }
}

// What events contain, for tests of code that receives them.

extension RunEvent.RunStart {
    /// Creates the start of a run; see the properties.
    public init(
        id: String = "20260101-000000-aaaaaa",
        manifest: String = "waybill.yaml",
        environment: String? = nil,
        graphs: [String] = ["main"]
    ) {
        self.init(id: RunID(name: id), manifest: manifest, environment: environment, graphs: graphs)
    }
}

extension RunEvent.ElementEnd {
    /// Creates the result of an element; see the properties.
    public init(index: Int, outcome: StepOutcome, failure: Failure? = nil) {
        self.init(index: index, outcome: outcome, failure: failure, subject: ElementSubject())
    }
}

extension RunEvent.PageEnd {
    /// Creates a page; see the properties.
    public init(number: Int, items: Int, next: JSONValue? = nil) {
        self.init(number: number, items: items, nextPage: next.map { Redactor().json($0.json) }, records: nil)
    }
}

extension RunEvent.CutFile {
    /// Creates a file; see the properties.
    public init(path: RedactedText, count: Int, records: Int, bytes: Int) {
        self.init(path: path, rest: .init(bytes: bytes, records: .init(records), count: count, checksum: nil))
    }
}

extension RunEvent.WrittenFile {
    /// Creates a file; see the properties.
    public init(path: RedactedText, table: String? = nil, records: Int, bytes: Int, aggregates: JSONValue = .null) {
        self.init(
            path: path,
            table: table,
            records: records,
            bytes: bytes,
            aggregated: aggregates == .null ? nil : Redactor().json(aggregates.json)
        )
    }
}

extension RunEvent.Redirection {
    /// Creates a redirect; see the properties.
    public init(attempt: Int = 1, status: Int, method: String = "GET", url: RedactedText) {
        self.init(attempt: attempt, status: status, method: method, url: url, details: nil)
    }
}
