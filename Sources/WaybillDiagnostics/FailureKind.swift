/// The kind of failure of a step: the stage that failed.
@nonexhaustive
public enum FailureKind: String, Sendable, CaseIterable {
    /// An input is missing or does not satisfy its schema.
    case input
    /// The host's name could not be resolved.
    case dns
    /// No connection could be established.
    case connect
    /// No TLS session could be established, or the peer's certificate is not trusted.
    case tls
    /// A time limit was exceeded.
    case timeout
    /// The connection broke, or the response is malformed.
    case transfer
    /// A check found the service unreachable; nothing was sent.
    case unreachable
    /// The same request was in flight, and `duplicates` discards or cancels this one.
    case duplicate
    /// The status is not an expected one.
    case status
    /// The response has a media type that is not accepted.
    case contentType = "content-type"
    /// The body cannot be decoded as its media type.
    case decode
    /// A filter stage rejected the data.
    case filter
    /// An output or the returned value could not be read from the data.
    case output
    /// The response does not meet an expectation.
    case expect
    /// The response is not one that the OpenAPI document of the service declares.
    case contract
    /// The file could not be downloaded or stored completely.
    case download
    /// The request was cancelled.
    case cancelled
}
