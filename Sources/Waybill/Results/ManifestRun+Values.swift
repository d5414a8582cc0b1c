import WaybillJSON

@_exported public import enum WaybillDiagnostics.FailureKind
@_exported public import struct WaybillDiagnostics.SourceLocation
@_exported public import struct WaybillFormats.Timestamp
@_exported public import struct WaybillPipeline.RunError
@_exported public import struct WaybillResults.ByteCounts
@_exported public import enum WaybillResults.CacheUse
@_exported public import struct WaybillResults.ElementResults
@_exported public import struct WaybillResults.Failure
@_exported public import struct WaybillResults.OutcomeCounts
@_exported public import struct WaybillResults.PhaseTimes
@_exported public import struct WaybillResults.ProgressReport
@_exported public import struct WaybillResults.RedactedHeader
@_exported public import struct WaybillResults.RedactedText
@_exported public import struct WaybillResults.RunComparison
@_exported public import struct WaybillResults.RunEvent
@_exported public import enum WaybillResults.RunOutcome
@_exported public import enum WaybillResults.SkipReason
@_exported public import enum WaybillResults.StepGroup
@_exported public import enum WaybillResults.StepOutcome
@_exported public import struct WaybillResults.StepResult

/// A range of a manifest, or of another source that was read.
public typealias SourceLocation = WaybillDiagnostics.SourceLocation

// The types of other modules that are part of the library. All else that the modules declare is internal to the package.
extension ManifestRun {
    /// The outcome of a run.
    public typealias Outcome = RunOutcome
    /// The outcome of a step.
    public typealias StepOutcome = WaybillResults.StepOutcome
    /// The number of steps, or of elements of a step with `forEach`, by outcome.
    public typealias Counts = OutcomeCounts
    /// Why a step is skipped.
    public typealias SkipReason = WaybillResults.SkipReason
    /// A kind of step that contains other steps.
    public typealias Group = StepGroup
    /// How a response used the cache.
    public typealias CacheUse = WaybillResults.CacheUse
    /// The stage of a step that failed.
    public typealias FailureKind = WaybillDiagnostics.FailureKind
    /// A point in time on the wall clock, in UTC.
    public typealias Timestamp = WaybillFormats.Timestamp
    /// How long a request and its phases took.
    public typealias Times = PhaseTimes
    /// The number of bytes of messages that were transferred, including headers, before decompression.
    public typealias ByteCounts = WaybillResults.ByteCounts
    /// The progress of a request's transfer, in bytes of the bodies as they are transferred.
    public typealias Progress = ProgressReport
    /// What differs between two runs of a manifest.
    public typealias Changes = RunComparison
    /// The start of a run.
    public typealias Start = RunEvent.RunStart
    /// The result of a step.
    public typealias Step = StepResult
    /// Why a step failed.
    public typealias StepFailure = WaybillResults.Failure
    /// The results of the elements of a step with `forEach`.
    public typealias Elements = ElementResults
    /// The result of an element of a step with `forEach`.
    public typealias ElementResult = RunEvent.ElementEnd
    /// A page that was received.
    public typealias Page = RunEvent.PageEnd
    /// A file of `write` whose end is missing.
    public typealias TruncatedFile = RunEvent.CutFile
    /// A file of `write` that is complete.
    public typealias WrittenFile = RunEvent.WrittenFile
    /// A file of `download` that is complete.
    public typealias DownloadedFile = RunEvent.DownloadedFile
    /// A request as it is about to be sent.
    public typealias Request = RunEvent.SentRequest
    /// A redirect: the response and the request that follows.
    public typealias Redirection = RunEvent.Redirection
    /// A failed attempt that is followed by another one.
    public typealias Retry = RunEvent.Retry
    /// The status and the header of a response.
    public typealias ResponseHead = RunEvent.ResponseHead
    /// A response of an operation of an OpenAPI document.
    public typealias CoveredResponse = RunEvent.CoveredResponse
    /// A string in which secrets are masked.
    public typealias Text = RedactedText
    /// A header field. The values of credentials and cookies are masked.
    public typealias HeaderField = RedactedHeader
}

extension StepResult {
    /// How long it took: for a request, the last attempt; otherwise the whole step.
    public var times: PhaseTimes? {
        get { time }
        set { time = newValue }
    }
}

extension RunComparison {
    /// The outputs that differ, by their names, such as `main.count`.
    public var outputs: [Change<JSONValue>] {
        outputChanges.map { change in
            Change(
                name: change.name,
                before: change.before.map { JSONValue($0) },
                after: change.after.map { JSONValue($0) }
            )
        }
    }
}

extension Failure {
    /// The server's code for the failure: the status, or the code in the response's envelope. A number is in decimal
    /// digits.
    public var code: String? { serverCode?.text.string }
}

extension RunEvent.PageEnd {
    /// What selects the next page: its URL, number, offset or cursor; `nil` if there is none.
    public var next: JSONValue? { nextPage.map { JSONValue($0.value) } }
}

extension RunEvent.WrittenFile {
    /// What `aggregate` computes over the records, by name; an object, or `null` if there is no `aggregate`.
    public var aggregates: JSONValue { JSONValue(aggregated?.value ?? .null) }
}

extension Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds, as `Date(timeIntervalSince1970:)` takes them.
    public var secondsSince1970: Double { Double(nanoseconds) / 1e9 }
}
