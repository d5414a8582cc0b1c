import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// The outcome of a request after its last attempt. The innermost layer creates it; each outer layer may change it
/// before returning it.
///
/// It is passed through many layers, and therefore stored by reference.
@dynamicMemberLookup
struct AttemptOutcome: Sendable {
    private var contents: CopyOnWrite<Contents>

    /// The outcome of an attempt before it is sent, or with a failure only.
    init(in context: StepContext, failure: Failure? = nil) {
        contents = CopyOnWrite(Contents(scope: context.scope, progress: context.progress, failure: failure))
    }

    /// One of the contents.
    subscript<Value>(dynamicMember path: WritableKeyPath<Contents, Value>) -> Value {
        get { contents.value[keyPath: path] }
        _modify { yield &contents.value[keyPath: path] }
    }

    /// The response, if there was one.
    var response: HTTPResponse? { self.scope.response }

    /// The data after filters.
    var data: ScopeValue? { self.scope.data }

    /// Adds the counts of an earlier request, after which a session or token was renewed.
    mutating func add(earlier: AttemptOutcome) {
        self.repetitions += 1 + earlier.repetitions
        self.earlierBytes.sent += earlier.response?.bytesSent ?? 0
        self.earlierBytes.received += earlier.response?.bytesReceived ?? 0
    }

    /// The input of the decision about another attempt.
    func failed(_ failure: Failure) -> RetryState.Failed {
        RetryState.Failed(
            kind: failure.kind,
            status: response?.status,
            wasSent: self.wasSent,
            retryAfter: response?.retryAfter()
        )
    }
}

extension AttemptOutcome {
    /// What an outcome consists of.
    struct Contents: Sendable {
        /// The scope of expressions after the attempt, with the request, the response and the data.
        var scope: RequestScope
        /// The progress of the request, this attempt included.
        var progress: RequestProgress
        /// The URL of the request, once it was built.
        var url: RedactedText?
        /// The method of the request, once it was built.
        var method: String?
        /// The OAuth 2.0 token that the request was sent with.
        var token: HeldToken?
        /// Whether a session or token that the server refuses is renewed, and the request repeated.
        var mayRenew = true
        /// What to warn of if the server refuses the request: credentials that it did not receive.
        var refusalWarning: String?
        /// Whether the request, or a part of it, may have reached the server.
        var wasSent = false
        /// How many times the request was repeated within the attempt, because a challenge to its credentials was stale, or
        /// a session or token was renewed.
        var repetitions = 0
        /// The bytes of the earlier requests, if it was repeated.
        var earlierBytes = ByteCounts()
        /// The URL that the response came from, after redirects.
        var responseURL: String?
        /// The decoded response before filters.
        var body: ScopeValue?
        /// What an interceptor replaced a failure with; with `paginate`, the items in place of the page that failed.
        var recovery: ScopeValue?
        /// The outputs. A failed expectation does not remove them.
        var outputs: [String: ScopeValue] = [:]
        /// The memory of what later steps use.
        var kept: RunMemory.Share?
        /// The file that the step wrote, as `{file, records, bytes}`, after it was moved to its path.
        var written: JSON?
        /// The file that the request downloaded, as `{file, bytes, sha256, resumed}`, after it was moved to its path.
        var downloaded: JSON?
        /// The file that was downloaded and is not at its path yet.
        var file: (download: AttemptDownload, file: AttemptDownload.File)?
        /// The snapshot to write.
        var snapshot: SnapshotChecker.Update?
        /// The expected statuses.
        var expectedStatus: [StatusPattern] = [.class(2)]
        /// The failure, if there is one.
        var failure: Failure?
        /// How the request ended because of an equal one: cancelled for a later one, or not sent.
        var duplicate: StepOutcome?
        /// Whether it has a response of a request with `until`: its failure counts only for the last try.
        var isPending = false
        /// Whether the records of the response could not be written.
        var isUnwritten = false
        /// Whether the body of the response was kept in the results folder, or could not be.
        var isBodyKept = false
        /// What may be neither shown nor kept, because it may contain unknown secrets.
        var hidden: HiddenParts = []
    }
}

extension Failure {
    /// The failure of a request that was cancelled.
    static func stopped(at span: SourceSpan) -> Failure {
        Failure(.cancelled, "the request was cancelled", at: span)
    }

    /// The failure as expressions see it in `steps.ID.error`: `{kind, code, message}`.
    var inExpressions: JSON {
        [
            "kind": .string(kind.rawValue),
            "code": serverCode?.value ?? .null,
            "message": .string(message.string),
        ]
    }
}

extension Failure? {
    /// The failure as expressions see it in `steps.ID.error`: null, or `{kind, code, message}`.
    var inExpressions: JSON { self?.inExpressions ?? .null }
}
