/// The kind of failure of a step: the stage that failed.
///
/// `Run.FailureKind` in the library's public interface is the same list and describes each kind. It is declared again because
/// that interface has no types of other modules; it does not compile if a kind is missing.
package enum FailureKind: String, Sendable, CaseIterable {
    // Before there is a response.
    case input, dns, connect, tls, timeout, transfer, unreachable, duplicate
    // Of a response.
    case status
    case contentType = "content-type"
    case decode, filter, output, expect, download
    // At any time.
    case cancelled
}
