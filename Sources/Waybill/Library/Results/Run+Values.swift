@_exported public import enum WaybillDiagnostics.FailureKind
@_exported public import struct WaybillFormats.Timestamp
@_exported public import struct WaybillResults.ByteCounts
@_exported public import enum WaybillResults.CacheUse
@_exported public import struct WaybillResults.OutcomeCounts
@_exported public import struct WaybillResults.PhaseTimes
@_exported public import struct WaybillResults.ProgressReport
@_exported public import enum WaybillResults.RunOutcome
@_exported public import enum WaybillResults.SkipReason
@_exported public import enum WaybillResults.StepGroup
@_exported public import enum WaybillResults.StepOutcome

// The types of other modules that are part of the library. All else that the modules declare is internal to the package.
extension Run {
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
    public typealias Moment = Timestamp
    /// How long a request and its phases took.
    public typealias Times = PhaseTimes
    /// The number of bytes of messages that were transferred, including headers, before decompression.
    public typealias Bytes = ByteCounts
    /// The progress of a request's transfer, in bytes of the bodies as they are transferred.
    public typealias Progress = ProgressReport
}

extension Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds, as `Date(timeIntervalSince1970:)` takes them.
    public var secondsSince1970: Double { Double(nanoseconds) / 1e9 }
}
