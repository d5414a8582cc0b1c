/// The stage of a step that failed.
package enum FailureKind: String, Sendable, CaseIterable {
    /// An input is missing, or is not what its schema asks for.
    case input
    /// The host's name could not be resolved.
    case dns
    /// No connection could be made.
    case connect
    /// No TLS session could be set up, or the peer is not who it should be.
    case tls
    /// It took longer than allowed.
    case timeout
    /// The connection broke, or what came over it cannot be read.
    case transfer
    /// The service is known not to be reachable; nothing was sent.
    case unreachable
    /// The same request was under way, and this one was to give way.
    case duplicate
    /// The status is not one that was expected.
    case status
    /// The response's media type is not accepted.
    case contentType = "content-type"
    /// The body is not what its media type says.
    case decode
    /// A filter stage refused the data.
    case filter
    /// An output, or what is returned, could not be taken from the data.
    case output
    /// The response is not as expected.
    case expect
    /// The file could not be fetched or stored whole.
    case download
    /// It was stopped from outside.
    case cancelled
}
