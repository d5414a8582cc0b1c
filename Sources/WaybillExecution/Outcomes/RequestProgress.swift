import WaybillFormats
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// The progress of a step's request: the results of its attempts so far.
struct RequestProgress: Sendable {
    /// When the first attempt started.
    var startedAt: Timestamp?
    /// How many times the request was sent.
    var attempts = 0
    /// The number of pages that arrived; `nil` without `paginate`.
    var pages: Int?
    /// How many times the request was polled; `nil` without `until`.
    var polls: Int?
    /// The status of the last response.
    private(set) var status: Int?
    /// How the cache took part in the last response.
    private(set) var cache: WaybillResults.CacheUse?
    /// The method and URL of the last request.
    private(set) var method: String?
    private(set) var url: RedactedText?
    /// The time of the last transfer.
    var time: PhaseTimes?
    /// The bytes sent and received in all attempts.
    private(set) var bytes: ByteCounts?
    /// The domains whose cookies responses put into the run's own jar, which a resumed run starts without.
    var cookieDomains: Set<String> = []

    /// The domains for the journal.
    func redactedCookieDomains(_ redactor: Redactor) -> [RedactedText] {
        cookieDomains.sorted().map { redactor.text($0) }
    }

    /// Adds the results of an attempt.
    mutating func add(_ outcome: AttemptOutcome) {
        attempts += outcome.repetitions
        guard let method = outcome.method else { return }
        attempts += 1
        self.method = method
        url = outcome.url
        guard let response = outcome.response else { return }
        status = response.status
        cache = response.cacheUse.map { WaybillResults.CacheUse($0) }
        time = PhaseTimes(response.timings)
        var bytes = self.bytes ?? ByteCounts()
        bytes.sent += outcome.earlierBytes.sent + response.bytesSent
        bytes.received += outcome.earlierBytes.received + response.bytesReceived
        self.bytes = bytes
    }
}

extension StepPlan {
    /// The kind of steps that the step contains, unless it contains them once for each element.
    var group: StepGroup? {
        guard flow?.forEach == nil else { return nil }
        return switch work {
        case .group(let group): group.order == .chain ? .chain : .batch
        case .graph: .graph
        case .request, .values, .end: nil
        }
    }
}

extension StepResult {
    /// The result of a step that has not started.
    init(_ step: StepPlan, at path: String, graph: String, outcome: StepOutcome, failure: Failure? = nil) {
        self.init(
            id: step.id ?? String(step.path.split(separator: ".").last ?? ""),
            path: path,
            graph: graph,
            outcome: outcome,
            failure: failure
        )
        (name, endpoint, tags, group) = (step.name, step.endpoint, step.tags, step.group)
    }

    /// Adds the progress of the request.
    mutating func add(_ progress: RequestProgress) {
        startedAt = progress.startedAt
        (attempts, pages, polls) = (progress.attempts, progress.pages, progress.polls)
        status = progress.status
        cache = progress.cache
        method = progress.method
        url = progress.url
        time = progress.time
        bytes = progress.bytes
    }
}

extension WaybillResults.CacheUse {
    /// How the cache took part in a response, as the results have it.
    init(_ use: WaybillTransport.CacheUse) {
        self =
            switch use {
            case .hit: .hit
            case .revalidated: .revalidated
            case .miss: .miss
            }
    }
}

extension PhaseTimes {
    /// The phases of a transfer, without those that were not needed.
    init(_ timings: TransferTimings) {
        func ifNeeded(_ duration: Duration) -> Duration? { duration == .zero ? nil : duration }
        self.init(
            total: timings.total,
            dns: ifNeeded(timings.dns),
            connect: ifNeeded(timings.connect),
            tls: ifNeeded(timings.tls),
            firstByte: timings.firstByte
        )
    }
}
