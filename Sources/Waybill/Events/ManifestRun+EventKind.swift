import WaybillResults

extension ManifestRun.Event {
    /// The kinds of events. Later versions may add cases, so a `switch` needs a `default`.
    @nonexhaustive
    public enum Kind: Sendable, Equatable {
        /// The run starts. This is the first event of every run.
        case runStarted(ManifestRun.Start)
        /// The run has finished. This is the last event of every run that was not killed.
        case runFinished(outcome: ManifestRun.Outcome, counts: ManifestRun.Counts)
        /// The run, or only the step of the event if there is one, is paused.
        case paused
        /// The run, or only the step of the event if there is one, continues.
        case unpaused
        /// A graph starts.
        case graphStarted(name: String)
        /// The steps of a graph have finished, and those of its `finally` start.
        case graphFinishing(name: String)
        /// A graph has finished.
        case graphFinished(name: String, outcome: ManifestRun.StepOutcome)
        /// A step starts.
        case stepStarted
        /// A step is skipped.
        case stepSkipped(reason: ManifestRun.SkipReason)
        /// A step has finished, and the steps that depend on it may start.
        case stepFinished(ManifestRun.Step)
        /// A step with `forEach` starts its elements.
        case elementsStarted(count: Int)
        /// An element of a step with `forEach` has finished.
        case elementFinished(ManifestRun.ElementResult)
        /// A page of a step with `paginate` was received.
        case pageFinished(ManifestRun.Page)
        /// The condition of `until` was not met; the number of the poll, from 1, and the time until the next one.
        case pollFinished(number: Int, pause: Duration)
        /// A file of `write` has lost its end when the run is resumed. The missing part is requested again.
        case fileTruncated(ManifestRun.TruncatedFile)
        /// A file of `write` is complete, and is about to be moved to its path.
        case fileCompleted(ManifestRun.WrittenFile)
        /// A file of `write` is complete and was moved to its path.
        case fileWritten(ManifestRun.WrittenFile)
        /// A file of `download` is complete and was moved to its path, or already existed and was kept.
        case fileDownloaded(ManifestRun.DownloadedFile)
        /// A request is about to be sent.
        case requestWillSend(ManifestRun.Request)
        /// A request was sent completely; the number of the attempt and of the bytes of its body.
        case requestSent(attempt: Int, bytes: Int)
        /// More bytes of a request or its response were transferred. Reported at most ten times a second for each
        /// request.
        case requestProgress(ManifestRun.Progress)
        /// A response redirects, and another request follows.
        case requestRedirected(ManifestRun.Redirection)
        /// An attempt failed, and another one follows.
        case requestRetrying(ManifestRun.Retry)
        /// A request used the cache; whether the response came from there.
        case cacheUsed(attempt: Int, use: ManifestRun.CacheUse)
        /// The status and the header of a response were received.
        case responseStarted(ManifestRun.ResponseHead)
        /// A response is complete.
        case responseFinished(ManifestRun.Response)
        /// A request and its response in full, for requests with `debug`.
        case exchange(JSONValue)
        /// The session of a service was fetched again, because a server rejected the earlier one.
        case sessionRenewed(service: String)
        /// A response of an operation of an OpenAPI document was received, the first one in the run with its status and media
        /// type.
        case operationCovered(ManifestRun.CoveredResponse)
        /// A message that the manifest logs.
        case log(message: ManifestRun.Text)
        /// A warning about something that may be unintended, and its location in the manifest.
        case warning(message: ManifestRun.Text, location: SourceLocation?)
    }
}

extension ManifestRun.Event.Kind {
    init(_ kind: RunEvent.Kind) {
        self =
            switch kind {
            case .runStarted(let start): .runStarted(start)
            case .runFinished(let outcome, let counts): .runFinished(outcome: outcome, counts: counts)
            case .runPaused: .paused
            case .runUnpaused: .unpaused
            case .graphStarted(let graph): .graphStarted(name: graph)
            case .graphFinishing(let graph): .graphFinishing(name: graph)
            case .graphFinished(let graph, let outcome): .graphFinished(name: graph, outcome: outcome)
            case .stepStarted: .stepStarted
            case .stepSkipped(let reason, _): .stepSkipped(reason: reason)
            case .stepFinished(let result, _): .stepFinished(result)
            case .elementsStarted(let count, _): .elementsStarted(count: count)
            case .elementFinished(let end): .elementFinished(end)
            case .pageFinished(let end): .pageFinished(end)
            case .pollFinished(let poll, let pause): .pollFinished(number: poll, pause: pause)
            case .writeCut(let file): .fileTruncated(file)
            case .writeSharded(let file):
                .fileCompleted(
                    .init(path: file.path, records: file.records.count, bytes: file.bytes, aggregates: .null)
                )
            case .writeCommitting(let file): .fileCompleted(file)
            case .writeCommitted(let file): .fileWritten(file)
            case .downloadCommitted(let file): .fileDownloaded(file)
            case .requestWillSend(let request): .requestWillSend(request)
            case .requestSent(let attempt, let bytes): .requestSent(attempt: attempt, bytes: bytes)
            case .requestProgress(let progress): .requestProgress(progress)
            case .requestRedirected(let redirection): .requestRedirected(redirection)
            case .requestRetrying(let retry): .requestRetrying(retry)
            case .cacheUsed(let attempt, let use, _): .cacheUsed(attempt: attempt, use: use)
            case .responseHead(let head): .responseStarted(head)
            case .responseFinished(let attempt, let status, let times, let bytes):
                .responseFinished(ManifestRun.Response(attempt: attempt, status: status, times: times, bytes: bytes))
            case .requestDebug(_, let exchange): .exchange(JSONValue(exchange.value))
            case .sessionRenewed(let service): .sessionRenewed(service: service)
            case .operationCovered(let response): .operationCovered(response)
            case .log(let message): .log(message: message)
            case .warning(let message, let location): .warning(message: message, location: location)
            }
    }
}

extension ManifestRun {
    /// A response that is complete.
    public struct Response: Sendable, Equatable {
        /// The number of the step's attempt, from 1.
        public let attempt: Int
        /// The status.
        public let status: Int
        /// How long it took.
        public let times: Times
        /// The number of bytes of the messages.
        public let bytes: ByteCounts

        /// Creates a response; see the properties.
        public init(attempt: Int = 1, status: Int, times: Times, bytes: ByteCounts = ByteCounts()) {
            self.attempt = attempt
            self.status = status
            self.times = times
            self.bytes = bytes
        }
    }
}
