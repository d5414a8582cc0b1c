import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// What came of one attempt. It is handed on from the attempt to the end of the request, and filled in on its way.
final class Attempted {
    /// What expressions see after it: the request, the answer, the data.
    var scope: RequestScope
    /// The address that was asked, once it was known.
    var url: RedactedText?
    /// The method of the request, once it was built.
    var method: String?
    /// The token that the request was sent with, where that is one of OAuth 2.0 and went to whoever answered.
    var token: HeldToken?
    /// Whether the request, or a part of it, may have reached the server.
    var wasSent = false
    /// How often the request was sent again within the attempt: because a challenge to its credentials was stale, or a
    /// session or token was renewed.
    var repetitions = 0
    /// The bytes of the requests before, where it was sent again.
    private(set) var earlierBytes = ByteCounts()
    /// The address that the answer came from, after redirects.
    var answeredURL: String?
    /// The answer as it was decoded, before filters.
    var body: ScopeValue?
    /// Whether the data is what an interceptor put in the place of a failure.
    var isRecovered = false
    /// The named values. They survive a failed expectation.
    var outputs: [String: ScopeValue] = [:]
    /// What was written to the step's file, as `{file, records, bytes}`, once it is in its place.
    var written: JSON?
    /// The statuses that are expected.
    var expectedStatus: [StatusPattern] = [.class(2)]
    /// What went wrong, if anything did.
    var failure: Failure?
    /// How the request ends because of another one that is the same: cancelled for a later one, or not sent.
    var duplicate: StepOutcome?
    /// Whether it has a response of a request with `until`, whose failure counts only if that response is the last one.
    var isPending = false
    /// Whether the body of the response was kept in the results folder, or could not be.
    var isBodyKept = false

    /// What came of an attempt of which only this is known.
    init(scope: RequestScope, failure: Failure? = nil) {
        self.scope = scope
        self.failure = failure
    }

    /// Counts a request before, after which a session or token was renewed.
    func add(earlier: Attempted) {
        repetitions += 1 + earlier.repetitions
        earlierBytes.sent += earlier.response?.bytesSent ?? 0
        earlierBytes.received += earlier.response?.bytesReceived ?? 0
    }

    /// The answer, if one came.
    var response: HTTPResponse? { scope.response }

    /// The data after filters.
    var data: ScopeValue? { scope.data }

    /// What decides about another attempt.
    func failed(_ failure: Failure) -> RetryState.Failed {
        RetryState.Failed(
            kind: failure.kind,
            status: response?.status,
            wasSent: wasSent,
            retryAfter: response?.retryAfter()
        )
    }
}

extension StepResult {
    /// The result of a step before anything has happened.
    init(_ step: StepPlan, at path: String, graph: String, outcome: StepOutcome, failure: Failure? = nil) {
        var endpoint: String?
        if case .request(let request) = step.work { endpoint = request.endpoint }
        self.init(
            id: step.id ?? String(step.path.split(separator: ".").last ?? ""),
            path: path,
            graph: graph,
            outcome: outcome,
            name: step.name,
            endpoint: endpoint,
            failure: failure
        )
    }

    /// Takes over what is known after an attempt.
    mutating func take(_ attempted: Attempted, redactor: Redactor) {
        attempts += attempted.repetitions
        guard let method = attempted.method else { return }
        attempts += 1
        self.method = method
        url = attempted.url
        guard let response = attempted.response else { return }
        status = response.status
        time = PhaseTimes(response.timings)
        var bytes = self.bytes ?? ByteCounts()
        bytes.sent += attempted.earlierBytes.sent + response.bytesSent
        bytes.received += attempted.earlierBytes.received + response.bytesReceived
        self.bytes = bytes
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

extension Failure? {
    /// The failure as expressions see it in `steps.ID.error`: null, or `{kind, code, message}`.
    var inExpressions: JSON { self?.inExpressions ?? .null }
}

extension Failure {
    /// The failure as expressions see it in `steps.ID.error`: `{kind, code, message}`.
    var inExpressions: JSON {
        [
            "kind": .string(kind.rawValue),
            "code": code?.value ?? .null,
            "message": .string(message.string),
        ]
    }
}
